// A seed, a number and a profile -> that many events, always the same: traces of 2 to 12 rows over 60 days.
import { drawFrom, type Draw } from './draw.js';
import { drawMetadata } from './metadata.js';
import type { Profile } from './profile.js';
import { drawContent, type SpanContent, type SpanType } from './span-content.js';

/** One item of `events` in the body of an insert. */
export interface GeneratedEvent extends SpanContent {
  readonly id: string;
  readonly created: string;
  readonly span_id: string;
  readonly root_span_id: string;
  readonly span_parents?: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly tags?: readonly string[];
  readonly metrics: Readonly<Record<string, number>>;
  readonly context?: Readonly<Record<string, unknown>>;
  readonly span_attributes: Readonly<Record<string, string>>;
}

export const firstDay = Date.UTC(2024, 0, 1);
const days = 60;
const millisecondsPerDay = 86_400_000;
/** A prime, so that the rare word falls into all types of spans. */
const eventsPerRareWord = 20_011;

const tagNames = [
  'billing',
  'regression',
  'golden',
  'vip',
  'multilingual',
  'long',
  'tool-use',
  'flaky',
  'triage',
  'ux',
];
const childTypes: readonly SpanType[] = ['llm', 'tool', 'tool', 'function', 'score'];

interface Trace {
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly rootSpanId: string;
  /** Milliseconds since 1970. */
  readonly start: number;
  readonly tags: readonly string[];
}

function drawTags(draw: Draw): readonly string[] {
  const count = draw.pickSkewed([0, 1, 2, 3]);
  return [...new Set(Array.from({ length: count }, () => draw.pickSkewed(tagNames)))];
}

const startTrace = (draw: Draw, profile: Profile, start: number): Trace => ({
  metadata: drawMetadata(draw, profile),
  rootSpanId: draw.hex(32),
  start,
  tags: drawTags(draw),
});

function drawMetrics(draw: Draw, type: SpanType, start: number): Record<string, number> {
  const end = start + draw.logUniform(5, 20_000);
  const metrics: Record<string, number> = { start: start / 1000, end: Math.round(end) / 1000 };
  if (type !== 'llm' && type !== 'task') return metrics;
  const [prompt, completion] = [draw.logUniform(20, 8000), draw.logUniform(5, 2000)].map(
    Math.round,
  );
  metrics['prompt_tokens'] = prompt ?? 0;
  metrics['completion_tokens'] = completion ?? 0;
  metrics['tokens'] = (prompt ?? 0) + (completion ?? 0);
  if (draw.chance(0.4))
    metrics['time_to_first_token'] = Math.round(draw.logUniform(50, 3000)) / 1000;
  return metrics;
}

const attributes = (type: SpanType, draw: Draw): Record<string, string> => ({
  name: type === 'task' ? 'answer question' : `${type} ${draw.integer(1, 4)}`,
  type,
  ...(type === 'score' ? { purpose: 'scorer' } : {}),
});

function drawEvent(
  draw: Draw,
  trace: Trace,
  row: number,
  profile: Profile,
  index: number,
): GeneratedEvent {
  const type = row === 0 ? 'task' : draw.pick(childTypes);
  const start = trace.start + row;
  const isRare = index % eventsPerRareWord === eventsPerRareWord >> 1;
  return {
    id: `${draw.hex(8)}-${draw.hex(4)}-4${draw.hex(3)}-9${draw.hex(3)}-${draw.hex(12)}`,
    created: new Date(start).toISOString(),
    span_id: row === 0 ? trace.rootSpanId : draw.hex(16),
    root_span_id: trace.rootSpanId,
    ...(row === 0 ? {} : { span_parents: [trace.rootSpanId] }),
    ...drawContent(draw, type, profile, isRare),
    metadata: trace.metadata,
    ...(trace.tags.length > 0 && row === 0 ? { tags: trace.tags } : {}),
    metrics: drawMetrics(draw, type, start),
    ...(draw.chance(0.3)
      ? { context: { caller_functionname: `step_${row}`, caller_lineno: draw.integer(1, 900) } }
      : {}),
    span_attributes: attributes(type, draw),
  };
}

export function* generateEvents(
  seed: number,
  count: number,
  profile: Profile,
): Generator<GeneratedEvent> {
  const draw = drawFrom(seed);
  for (let index = 0; index < count;) {
    const at = firstDay + Math.floor((index / count) * days * millisecondsPerDay);
    const trace = startTrace(draw, profile, at);
    const rows = Math.min(draw.integer(2, 12), count - index);
    for (let row = 0; row < rows; row++, index++) yield drawEvent(draw, trace, row, profile, index);
  }
}
