// Stores a log of traces and two experiments -> what the questions are asked about.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Checkout } from '../http/sides.js';
import { fillPair, pairOf, type Pair } from '../summary/experiments.js';

export interface Stored extends Pair {
  /** Rows of the project's log, in traces of 12. */
  readonly logRows: number;
}

/** As many as the public evaluation of the README has. */
const experimentRows = 1319;
const traceRows = 12;
const rowsPerRequest = 1200;

export const idOfRow = (row: number): string => `row-${row}`;
export const rootOfTrace = (trace: number): string => `trace-${trace}`;

export function logRow(row: number): object {
  const root = rootOfTrace(Math.floor(row / traceRows));
  const isRoot = row % traceRows === 0;
  return {
    id: idOfRow(row),
    root_span_id: root,
    span_id: isRoot ? root : `span-${row}`,
    ...(isRoot ? {} : { span_parents: [root] }),
    input: { question: `What is ${row} times ${row % 97}?`, context: 'lorem ipsum '.repeat(20) },
    output: `It is ${row * (row % 97)}. ${'dolor sit '.repeat(10)}`,
    scores: { accuracy: (row % 11) / 10 },
    metadata: { model: `model-${row % 7}`, user: `user-${row % 1000}` },
    metrics: { tokens: row % 4096, start: row, end: row + 1.5 },
    span_attributes: { name: `step ${row % 5}`, type: 'llm' },
  };
}

export async function storeRows(checkout: Checkout, logRows: number): Promise<Stored> {
  const { client, projectId } = checkout;
  const pair = await pairOf(checkout, 'one row');
  await fillPair(checkout, 'one row', pair, experimentRows);
  for (let first = 0; first < logRows; first += rowsPerRequest) {
    const length = Math.min(rowsPerRequest, logRows - first);
    const events = Array.from({ length }, (_, index) => logRow(first + index));
    await client.post(`/v1/project_logs/${projectId}/insert`, JSON.stringify({ events }));
  }
  return { ...pair, logRows };
}

/** Waits until all rows are in segments; the server has to flush them soon. */
export async function untilInSegments({ send, projectId }: Checkout): Promise<void> {
  const query = `measures: count(1) as n | from: project('${projectId}')`;
  const body = JSON.stringify({ query, use_columnstore: true });
  for (;;) {
    const headers = await send('POST', '/query', body);
    if (headers['x-evalstore-columnstore'] === 'segments') return;
    await sleep(200);
  }
}
