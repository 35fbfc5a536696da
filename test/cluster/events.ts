// Events of which most paths have one type, and texts, numbers and times on which engines differ. The same in every run.

// prettier-ignore
const texts = [
  'gpt-4o', 'gpt-4', 'claude', 'Kiss', 'straße', 'STRASSE', 'İ', 'ΣΑΣ', '\u212aelvin', 'mo\u017fs', '', ' ', "it's",
  "''; drop table x --", '\\', '\t\u001f\u007f', 'é', '😀', '豈', '$1', '%', '_', '1d', '1e7', '"', '/* */',
];
const numbers = [0, 1, -1, 0.1, 0.25, 2.5, 7, 100, 1e7, 0.000123, -12.75, 3];
const words = [
  'refund',
  'Invoice number',
  'a B',
  'REFUND the deposit',
  'ok',
  'Yes, of course',
  'nothing',
];
const times = [
  '2024-02-01T00:00:00Z',
  '2024-02-03T23:59:59.999999Z',
  '2024-02-29T12:00:00.5Z',
  '2024-03-31T01:30:00Z',
  '2027-01-02T00:00:00Z',
];

const at = <T>(values: readonly T[], index: number): T => values[index % values.length]!;

/** Every third value in turn is absent. */
const some = <T>(index: number, value: T): T | undefined => (index % 3 === 0 ? undefined : value);

function output(index: number): unknown {
  const word = at(words, index);
  return at<unknown>(
    [word, { answer: word, ok: true }, [word], index, index % 2 === 0, null, `${word}\n"quoted"`],
    index,
  );
}

export const eventOf = (index: number): Readonly<Record<string, unknown>> => {
  const seed = (index * 7919) % 1009;
  return {
    id: `r${index}`,
    created: at(times, seed),
    input: at(words, seed),
    output: output(seed),
    ...(index % 5 === 0 ? { error: at<unknown>(['late', { code: 1 }], index) } : {}),
    scores: {
      x: some(seed, at(numbers, seed)),
      y: some(index, (seed % 10) / 10),
      a: (seed % 7) / 7,
      b: some(seed + 1, seed % 2),
      Factuality: (index % 11) / 10,
      Relevance: some(seed, (seed % 9) / 8),
      correct: index % 2,
    },
    metadata: {
      model: some(index, at(texts, index)),
      environment: at(['prod', 'dev'], seed),
      user_id: `u${seed % 17}`,
      language: at(texts, seed),
      method: at(words, index),
      w: at([...texts, ' 1 ', '0x10', '-.5E-3', 'inf', '12'], seed),
      n: some(seed + 1, at(numbers, index)),
      cost_usd: seed / 1000,
      steps: seed % 5,
      problem: index % 13,
      a: at(['x', 'y', 'X', ''], seed),
      b: some(index, at([0, 1, -2, 0.5, 100], index)),
      cached: some(seed, seed % 2 === 0),
      customer: { tier: at(['free', 'enterprise'], index) },
      escalation: index % 4 === 0 ? { reason: at(words, seed), level: seed % 3 } : undefined,
      v: at<unknown>([1, 'one', true], index),
      list: [index],
    },
    metrics: {
      start: 1000 + seed,
      end: some(index + 1, 1000.5 + seed + (index % 9)),
      tokens: seed,
      prompt_tokens: some(seed, index),
    },
    ...(index % 4 === 1 ? {} : { tags: index % 4 === 2 ? [] : ['flaky', at(texts, index)] }),
    span_attributes: {
      name: at(words, index),
      type: at(['llm', 'task', 'tool'], seed),
      purpose: some(index, 'scorer'),
    },
    ...(index % 3 === 0
      ? {}
      : {
          span_id: `s${index}`,
          root_span_id: `s${index - (index % 3)}`,
          span_parents: [`s${index - (index % 3)}`],
        }),
  };
};
