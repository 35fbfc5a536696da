// Two experiments over the same inputs, in one of two shapes: a trace is one row, or a root and its scores.
import type { EvalstoreClient } from '../contenders/evalstore-client.js';
import { drawFrom, type Draw } from '../generator/draw.js';

export const shapes = { 'one row': 1, 'two rows': 2 } as const;

export type ShapeName = keyof typeof shapes;

/** A server, and the project that the experiments are in. */
export interface PairPlace {
  readonly projectId: string;
  readonly client: EvalstoreClient;
}

export interface Pair {
  readonly ours: string;
  readonly theirs: string;
}

const scoreNames = ['factuality', 'relevance', 'brevity'];
const tracesPerRequest = 1000;

const experimentName = (shape: ShapeName, side: keyof Pair): string => `${shape}, ${side}`;

function traceRows(shape: ShapeName, number: number, draw: Draw): readonly object[] {
  const scores = Object.fromEntries(scoreNames.map((name) => [name, draw.integer(0, 100) / 100]));
  const root = {
    id: `t${number}`,
    span_id: draw.hex(32),
    input: { question: `What is ${number} times ${number % 97}?` },
    output: `It is ${number * (number % 97)}.`,
    expected: String(number * (number % 97)),
  };
  if (shape === 'one row') return [{ ...root, scores }];
  const child = { root_span_id: root.span_id, span_parents: [root.span_id] };
  return [root, { ...child, id: `s${number}`, span_attributes: { type: 'score' }, scores }];
}

async function idOf({ client, projectId }: PairPlace, name: string): Promise<string> {
  const body = JSON.stringify({ project_id: projectId, name });
  return ((await client.post('/v1/experiment', body)) as { readonly id: string }).id;
}

async function fill(
  { client }: PairPlace,
  id: string,
  shape: ShapeName,
  traces: number,
  seed: number,
): Promise<void> {
  const draw = drawFrom(seed);
  for (let first = 0; first < traces; first += tracesPerRequest) {
    const length = Math.min(tracesPerRequest, traces - first);
    const events = Array.from({ length }, (_, index) => traceRows(shape, first + index, draw));
    await client.post(`/v1/experiment/${id}/insert`, JSON.stringify({ events: events.flat() }));
  }
}

/** The pair of the shape; it is made when there is none. */
export const pairOf = async (server: PairPlace, shape: ShapeName): Promise<Pair> => ({
  theirs: await idOf(server, experimentName(shape, 'theirs')),
  ours: await idOf(server, experimentName(shape, 'ours')),
});

export async function fillPair(
  server: PairPlace,
  shape: ShapeName,
  { ours, theirs }: Pair,
  traces: number,
): Promise<void> {
  await fill(server, theirs, shape, traces, 1);
  await fill(server, ours, shape, traces, 2);
}
