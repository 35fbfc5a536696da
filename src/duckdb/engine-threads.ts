// Threads of the engine with a low priority. On Linux each thread has its own, which the threads that it starts inherit, and which
// a process without privileges cannot raise again. On other systems, and without /proc, they keep the priority of the process.
import { readlinkSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { DuckDBMaterializedResult, DuckDBPendingResult } from '@duckdb/node-api';
import { isFinished, stateOf, type DuckDBInstance } from './driver.js';

/** Added to the nice value. A thread with 5 more gets a quarter of a processor that both want. */
export const niceness = 5;
const nicest = 19;

/** The number that Linux has for this thread; null where there is none. */
function threadNumber(): number | null {
  try {
    return Number(path.basename(readlinkSync('/proc/thread-self')));
  } catch {
    return null;
  }
}

function lowerOwnPriority(): void {
  const thread = threadNumber();
  if (thread === null) return;
  os.setPriority(thread, Math.min(nicest, os.getPriority(process.pid) + niceness));
}

/** Starts the threads of an instance that was opened with one. They and this thread have the low priority from then on. */
export async function startThreads(instance: DuckDBInstance, count: number): Promise<void> {
  lowerOwnPriority();
  const connection = await instance.connect();
  const statements = [
    `SET GLOBAL threads = ${count}`,
    'SET GLOBAL external_threads = 0',
    'SELECT 1',
  ];
  const prepared = await Promise.all(statements.map((text) => connection.prepare(text)));
  const started: DuckDBPendingResult[] = [];
  for (const statement of prepared) {
    // The engine starts missing threads when the next statement begins, in the thread that begins it.
    const pending = statement.start();
    await pending.runAllTasks();
    started.push(pending);
  }
  // Frees them: they keep the instance open.
  for (const pending of started) await pending.getResult().catch(() => {});
  for (const statement of prepared) statement.destroySync();
  connection.closeSync();
}

/** A wait grows to a sixteenth of the time that the statement has taken so far, up to `waitMsMax`. */
const waitShare = 1 / 16;
const waitMsMax = 4;

/** Waits until the threads of the instance have executed the statement, or have produced the first rows of a stream. */
export async function untilExecuted(
  pending: DuckDBPendingResult,
): Promise<DuckDBMaterializedResult> {
  const started = performance.now();
  while (!isFinished(stateOf(pending['pending_result'])))
    await delay(Math.min(waitMsMax, (performance.now() - started) * waitShare));
  return (await pending.getResult()) as DuckDBMaterializedResult;
}
