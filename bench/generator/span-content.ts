// Draws -> what each type of span holds: chats, nested tool calls, verdicts.
import { rareWord, prose } from './prose.js';
import type { Draw } from './draw.js';
import type { Profile } from './profile.js';

export interface SpanContent {
  readonly input: unknown;
  readonly output: unknown;
  readonly expected?: unknown;
  readonly scores?: Readonly<Record<string, number | null>>;
}

export type SpanType = 'task' | 'llm' | 'tool' | 'function' | 'score';

export const scoreNames = [
  'Factuality',
  'Relevance',
  'Coherence',
  'Toxicity',
  'Conciseness',
  'Answer Correctness',
];

const toolNames = ['search_orders', 'get_weather', 'lookup_customer', 'run_sql', 'send_email'];

const thousandth = (value: number): number => Math.round(value * 1000) / 1000;

function drawScores(
  draw: Draw,
  names: readonly string[],
  share: number,
): Record<string, number | null> {
  const scores: Record<string, number | null> = {};
  for (const name of names) {
    if (!draw.chance(share)) continue;
    scores[name] = draw.chance(0.02) ? null : thousandth(1 - draw.uniform() ** 2);
  }
  return scores;
}

function chatLength(draw: Draw, profile: Profile): number {
  if (draw.chance(profile.longShare)) return profile.longLength;
  return draw.logUniform(...profile.chatLength);
}

const toolCall = (draw: Draw) => ({
  id: `call_${draw.hex(12)}`,
  type: 'function',
  function: {
    name: draw.pick(toolNames),
    arguments: {
      order: { id: draw.integer(1, 1e6), lines: [draw.integer(1, 9), draw.integer(1, 9)] },
      limit: 10,
    },
  },
});

function chat(draw: Draw, length: number, word: string): readonly unknown[] {
  const turns = draw.integer(1, 4);
  return [
    { role: 'system', content: `You are a helpful assistant. ${prose(draw, length * 0.15)}` },
    ...Array.from({ length: turns }, (_, turn) => ({
      role: turn % 2 === 0 ? 'user' : 'assistant',
      content: word + prose(draw, (length * 0.55) / turns),
    })),
  ];
}

const answer = (draw: Draw, length: number) => ({
  role: 'assistant',
  content: prose(draw, length * 0.3),
  ...(draw.chance(0.3) ? { tool_calls: [toolCall(draw)] } : {}),
});

function conversation(draw: Draw, profile: Profile, word: string): SpanContent {
  const length = chatLength(draw, profile);
  return { input: chat(draw, length, word), output: answer(draw, length) };
}

function toolContent(draw: Draw, profile: Profile, word: string): SpanContent {
  const length = draw.logUniform(...profile.toolLength);
  return {
    input: { ...toolCall(draw), note: word + prose(draw, length * 0.3) },
    output: {
      rows: [{ id: draw.integer(1, 1e6), text: prose(draw, length * 0.7) }],
      ok: draw.chance(0.95),
    },
  };
}

/** The first row of a trace: the question, the final answer, what was expected, most of the scores. */
function taskContent(draw: Draw, profile: Profile, word: string): SpanContent {
  const { input, output } = conversation(draw, profile, word);
  return {
    input,
    output,
    ...(draw.chance(0.5) ? { expected: prose(draw, 80) } : {}),
    scores: drawScores(draw, scoreNames, 0.7),
  };
}

function scoreContent(draw: Draw, _profile: Profile, word: string): SpanContent {
  return {
    input: { rationale: word + prose(draw, 80) },
    output: { choice: draw.pick(['A', 'B', 'C']) },
    scores: drawScores(draw, [draw.pick(scoreNames)], 1),
  };
}

const contents = {
  task: taskContent,
  llm: conversation,
  tool: toolContent,
  function: toolContent,
  score: scoreContent,
} as const satisfies Record<SpanType, (draw: Draw, profile: Profile, word: string) => SpanContent>;

/** `isRare` puts the rare word into the input. */
export const drawContent = (
  draw: Draw,
  type: SpanType,
  profile: Profile,
  isRare: boolean,
): SpanContent => contents[type](draw, profile, isRare ? `${rareWord} ` : '');
