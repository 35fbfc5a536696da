// One logger that waits for each answer -> how long an insert takes, beside a write and fdatasync of as many bytes by this process.
import { open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { quantile, secondsOf } from '../measure.js';
import type { Cell } from '../report/markdown.js';
import { createTrace, rootAlone } from './rows.js';
import type { Sender } from './sender.js';

type Step = () => Promise<unknown>;

async function millisecondsOfEach(count: number, step: Step): Promise<readonly number[]> {
  const milliseconds: number[] = [];
  for (let number = 0; number < count; number++) milliseconds.push(1000 * (await secondsOf(step)));
  return milliseconds;
}

const inserting =
  ({ projectId, send }: Sender): Step =>
  () =>
    send(rootAlone.body(createTrace(projectId)), false);

/** Appends to a file where the servers have their data directories. */
async function openSyncing(): Promise<{ step: Step; close(): Promise<void> }> {
  const name = path.join(tmpdir(), `evalstore-sync-${process.pid}`);
  const file = await open(name, 'w');
  const bytes = Buffer.from(rootAlone.body(createTrace('none')));
  return {
    step: async () => {
      await file.write(bytes);
      await file.datasync();
    },
    close: async () => {
      await file.close();
      await rm(name);
    },
  };
}

export const aloneHeader = ['one logger alone', 'median ms', '99th percentile', 'x fdatasync'];

/** In turns, so that all see the same disk. The first round is not counted. */
export async function measureAlone(
  senders: readonly Sender[],
  rounds: number,
  inserts: number,
): Promise<readonly (readonly Cell[])[]> {
  const syncing = await openSyncing();
  const steps = new Map([
    ['write and fdatasync alone', syncing.step],
    ...senders.map((sender) => [sender.name, inserting(sender)] as const),
  ]);
  const measured = new Map<string, number[]>([...steps.keys()].map((name) => [name, []]));
  for (let round = 0; round <= rounds; round++)
    for (const [name, step] of steps) {
      const milliseconds = await millisecondsOfEach(inserts, step);
      if (round > 0) measured.get(name)!.push(...milliseconds);
    }
  await syncing.close();
  const [sync = []] = measured.values();
  return [...measured].map(([name, all]) => [
    name,
    quantile(all, 0.5),
    quantile(all, 0.99),
    quantile(all, 0.5) / quantile(sync, 0.5),
  ]);
}
