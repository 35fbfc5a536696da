// The two experiments that are compared: the same inputs, and lower scores on every second row of the other one.
import { createReadStream, createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { eventBatches, type Dataset } from '../generator/dataset.js';
import type { GeneratedEvent } from '../generator/events.js';

export const rowsMax = 20_000;
const rowsPerBatch = 1000;

export const sides = ['this', 'other'] as const;

export type Side = (typeof sides)[number];

export interface SideRow extends GeneratedEvent {
  readonly side: Side;
}

function otherScores(event: GeneratedEvent, index: number): GeneratedEvent {
  if (event.scores === undefined || index % 2 === 0) return event;
  const scores = Object.entries(event.scores).map(
    ([name, score]) => [name, score === null ? null : score / 2] as const,
  );
  return { ...event, scores: Object.fromEntries(scores) };
}

async function* sideLines(dataset: Dataset): AsyncGenerator<string> {
  let index = 0;
  for await (const lines of eventBatches(dataset, rowsPerBatch)) {
    for (const line of lines) {
      const event = JSON.parse(line) as GeneratedEvent;
      const rows: readonly SideRow[] = [
        { side: 'this', ...event },
        { side: 'other', ...otherScores(event, index++) },
      ];
      for (const row of rows) yield `${JSON.stringify(row)}\n`;
    }
    if (index >= rowsMax) return;
  }
}

/** One row a line. */
export const writeSides = (dataset: Dataset, file: string): Promise<void> =>
  pipeline(Readable.from(sideLines(dataset)), createWriteStream(file));

/** Sends the rows of each side in batches, one after the other. */
export async function forEachSideBatch(
  file: string,
  send: (side: Side, events: readonly GeneratedEvent[]) => Promise<unknown>,
): Promise<void> {
  const waiting: Record<Side, GeneratedEvent[]> = { this: [], other: [] };
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const { side, ...event } = JSON.parse(line) as SideRow;
    if (waiting[side].push(event) === rowsPerBatch) await send(side, waiting[side].splice(0));
  }
  for (const side of sides) if (waiting[side].length > 0) await send(side, waiting[side]);
}
