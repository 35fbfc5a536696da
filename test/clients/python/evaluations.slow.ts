// Programs that evaluate with the SDK.
import { callTokens } from './expected-rows.js';
import { describePrograms } from './run-programs.js';
import type { PythonEnvironment } from './run-python.js';
import type { Row } from './stored.js';

const newer = ['braintrust', 'braintrust-0.33.0'] as const;
const all: readonly [PythonEnvironment, ...PythonEnvironment[]] = [...newer, 'braintrust-0.0.180'];

/** A case: its root, its task, and a span for each scorer; the root of another name than "eval" has no task. */
function evaluated(root: Row, scores: Readonly<Record<string, Row['scores']>>): readonly Row[] {
  const task = { name: 'task', type: 'task', parent: 'eval', output: root.output };
  const scorers = Object.entries(scores).map(([name, scored]) => ({
    name,
    type: 'score',
    parent: 'eval',
    scores: scored,
  }));
  return [{ name: 'eval', type: 'eval', ...root }, task, ...scorers] as readonly Row[];
}

const trial = (number: number): readonly Row[] => [
  ...evaluated(
    { input: number, output: 2 * number, expected: 2 * number, metadata: { asked: number } },
    { even: { even: 1 }, Close: { close: 0.5, skipped: null } },
  ),
  {
    name: 'model',
    type: 'llm',
    parent: 'task',
    output: 2 * number,
    metadata: { model: 'small' },
    metrics: callTokens,
  },
];

describePrograms('programs that evaluate', [
  {
    file: 'eval_scorers.py',
    environments: newer,
    stored: [
      {
        project: 'greeting-bot',
        experiments: {
          greetings: {
            metadata: { model: 'template' },
            rows: [
              ...evaluated(
                { input: 'Foo', output: 'Hi Foo', expected: 'Hi Foo' },
                { exact: { exact: 1 }, Levenshtein: { Levenshtein: 1 } },
              ),
              ...evaluated(
                {
                  input: 'Bar',
                  output: 'Hi Bar',
                  expected: 'Hello Bar',
                  metadata: { formal: true },
                  tags: ['formal'],
                },
                { exact: { exact: 0 }, Levenshtein: { Levenshtein: 5 / 9 } },
              ),
            ],
          },
        },
      },
    ],
  },
  {
    file: 'eval_async.py',
    environments: all,
    stored: [
      {
        project: 'doubling',
        experiments: { trials: { rows: [1, 1, 1, 2, 2, 2].flatMap(trial) } },
      },
    ],
  },
  {
    file: 'eval_errors.py',
    environments: newer,
    stored: [
      {
        project: 'failing',
        experiments: {
          errors: {
            rows: [
              { name: 'eval', input: 0, expected: 0, error: /ZeroDivisionError: no answer for 0/ },
              { name: 'task', parent: 'eval', error: /ZeroDivisionError: no answer for 0/ },
              ...evaluated({ input: 1, output: 10, expected: 10 }, { picky: { picky: 1 } }),
              ...evaluated({ input: 2, output: 5, expected: 5 }, {}),
              { name: 'picky', type: 'score', parent: 'eval', error: /KeyError: 'five'/ },
            ],
          },
        },
      },
    ],
  },
  {
    file: 'eval_dataset.py',
    environments: all,
    stored: [
      {
        project: 'on-dataset',
        datasets: {
          sums: [1, 2, 3].map((number) => ({
            id: `r${number}`,
            input: number,
            expected: number + 1,
            tags: ['sum'],
          })),
        },
        experiments: {
          'all right': {
            rows: [1, 2, 3].flatMap((number) =>
              evaluated(
                {
                  input: number,
                  output: number + 1,
                  metadata: { n: number },
                  tags: ['sum'],
                  origin: { object_type: 'dataset', id: `r${number}` },
                },
                { right: { right: 1 } },
              ),
            ),
          },
        },
      },
    ],
  },
  {
    file: 'eval_base.py',
    environments: all,
    // The SDK takes rows whose two ids are the same for roots.
    variables: { BRAINTRUST_LEGACY_IDS: 'true' },
    printed: [{ against: 'first' }],
    stored: [
      {
        project: 'hill-climbing',
        experiments: {
          first: {
            rows: [
              ...evaluated({ input: 'a', output: 'A' }, { long: { long: 0.5 } }),
              ...evaluated({ input: 'b', output: 'B' }, { long: { long: 0.5 } }),
            ],
          },
          second: {
            base: 'first',
            rows: [
              ...evaluated({ input: 'a', output: 'A', expected: 'A' }, { same: { same: 1 } }),
              ...evaluated({ input: 'b', output: '?', expected: 'B' }, { same: { same: 0 } }),
            ],
          },
        },
      },
    ],
  },
  {
    file: 'eval_autoevals.py',
    environments: newer,
    stored: [
      {
        project: 'autoevals',
        experiments: {
          'without a model': {
            rows: evaluated(
              { input: { n: 2 }, output: { n: 2, words: ['a', 'c'] } },
              {
                ExactMatch: { ExactMatch: 0 },
                JSONDiff: { JSONDiff: 0.75 },
                number: { NumericDiff: 1 },
                text: { Levenshtein: 0 },
                valid: { ValidJSON: 1 },
              },
            ),
          },
        },
      },
    ],
  },
  {
    file: 'eval_math.py',
    environments: newer,
    command: ['braintrust', 'eval', 'eval_math.py'],
    printed: [
      ['addition', 2],
      ['negation', 1],
    ],
    stored: [
      {
        project: 'cli-addition',
        experiments: {
          addition: {
            rows: [
              ...evaluated({ input: [1, 2], output: 3, expected: 3 }, { equal: { equal: 1 } }),
              ...evaluated({ input: [2, 2], output: 4, expected: 5 }, { equal: { equal: 0 } }),
            ],
          },
        },
      },
      {
        project: 'cli-negation',
        experiments: {
          negation: {
            rows: evaluated({ input: 1, output: -1, expected: -1 }, { equal: { equal: 1 } }),
          },
        },
      },
    ],
  },
  {
    file: 'test_greeting.py',
    environments: ['braintrust'],
    command: ['pytest', '--braintrust', '--braintrust-experiment=tests', 'test_greeting.py'],
    code: 1,
    stored: [
      {
        project: 'pytest-greetings',
        experiments: {
          tests: {
            rows: [
              {
                name: 'test_passes',
                type: 'eval',
                input: { name: 'Foo' },
                output: 'Hi Foo',
                expected: 'Hi Foo',
                tags: ['smoke'],
                scores: { polite: 1, pass: 1 },
              },
              { name: 'test_each[Bar]', output: 'Hi Bar', scores: { pass: 1 } },
              { name: 'test_each[Baz]', output: 'Hi Baz', scores: { pass: 1 } },
              { name: 'test_fails', scores: { pass: 0 }, error: /numbers differ/ },
            ],
          },
        },
      },
    ],
  },
]);
