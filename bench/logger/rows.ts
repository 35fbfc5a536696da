// The rows of a trace as the published SDKs send them to /logs3: the root alone when it starts, the spans below it
// together, and what is known of the root at its end as a merge.
import { randomBytes } from 'node:crypto';

export const childrenPerTrace = 8;

const hex = (bytes: number): string => randomBytes(bytes).toString('hex');

const seconds = (): number => Date.now() / 1000;

export interface Trace {
  /** What every row of it names. */
  readonly place: {
    readonly project_id: string;
    readonly log_id: 'g';
    readonly root_span_id: string;
  };
  readonly id: string;
  readonly spanId: string;
}

export const createTrace = (projectId: string): Trace => ({
  place: { project_id: projectId, log_id: 'g', root_span_id: hex(16) },
  id: hex(8),
  spanId: hex(8),
});

const context = {
  caller_functionname: 'answer',
  caller_filename: '/srv/app/src/answer.ts',
  caller_lineno: 42,
};

const question = 'How do I reset my password? I have tried the link in the mail twice. '.repeat(4);
const reply = 'Click on Forgot password, then on the link in the newest mail. '.repeat(6);

const start = ({ place, id, spanId }: Trace) => ({
  ...place,
  id,
  span_id: spanId,
  metrics: { start: seconds() },
  context,
  span_attributes: { name: 'request', type: 'task', exec_counter: 0 },
  created: new Date().toISOString(),
  _is_merge: false,
});

const child = ({ place, spanId }: Trace, number: number) => ({
  ...place,
  id: hex(8),
  span_id: hex(8),
  span_parents: [spanId],
  input: [{ role: 'user', content: question }],
  output: reply,
  metadata: { model: 'small', temperature: 0.2 },
  metrics: { start: seconds(), end: seconds(), prompt_tokens: 81, completion_tokens: 64 },
  context,
  span_attributes: { name: `step ${number}`, type: 'llm', exec_counter: number + 1 },
  created: new Date().toISOString(),
});

const end = ({ place, id, spanId }: Trace) => ({
  ...place,
  id,
  span_id: spanId,
  input: question,
  output: reply,
  scores: { helpful: 1 },
  tags: ['production'],
  metrics: { end: seconds() },
  _is_merge: true,
});

export interface Part {
  readonly title: string;
  /** How many rows a request has. */
  readonly rows: number;
  /** How many of its rows begin a span. */
  readonly spans: number;
  readonly body: (trace: Trace) => string;
  readonly isMerge: boolean;
}

const bodyOf = (rows: readonly object[]): string => JSON.stringify({ rows, api_version: 2 });

export const rootAlone: Part = {
  title: 'the root alone',
  rows: 1,
  spans: 1,
  body: (trace) => bodyOf([start(trace)]),
  isMerge: false,
};

/** In the order in which they are sent. */
export const parts: readonly Part[] = [
  rootAlone,
  {
    title: 'its children',
    rows: childrenPerTrace,
    spans: childrenPerTrace,
    body: (trace) =>
      bodyOf(Array.from({ length: childrenPerTrace }, (_, number) => child(trace, number))),
    isMerge: false,
  },
  {
    title: 'the end of the root, merged',
    rows: 1,
    spans: 0,
    body: (trace) => bodyOf([end(trace)]),
    isMerge: true,
  },
];
