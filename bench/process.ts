// How the process of the server behaves: starts after a stop and after a kill under load, memory.
import { setTimeout as sleep } from 'node:timers/promises';
import { connectionKey, type Evalstore } from './contenders/evalstore.js';
import { connect } from './contenders/evalstore-client.js';
import type { Dataset } from './generator/dataset.js';
import { bulkConnections, insertInBulk } from './ingest/bulk.js';
import { median } from './measure.js';

export interface ProcessResult {
  readonly startSeconds: number;
  readonly startAfterKillSeconds: number;
  readonly idleSeconds: number;
  readonly idleMemoryMb: number;
  readonly peakMemoryMb: number;
}

/** Long enough that rows are in the buffer, in the log and on their way to segments. */
const loadMs = 3000;

/** Seconds until a server serves again that was killed in the middle of inserts. */
async function restartUnderLoad(evalstore: Evalstore, dataset: Dataset): Promise<number> {
  const project = await evalstore.createProject('killed');
  const client = connect(evalstore.url(), connectionKey, bulkConnections);
  const inserts = insertInBulk(dataset, (body) =>
    client.post(`/v1/project_logs/${project}/insert`, body),
  ).catch(() => 'ended by the kill');
  await sleep(loadMs);
  const seconds = await evalstore.restart('kill');
  await inserts;
  await client.close();
  return seconds;
}

async function timesOf(rounds: number, work: () => Promise<number>): Promise<readonly number[]> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) times.push(await work());
  return times;
}

/** After everything else, since it leaves rows behind. Medians over the rounds. */
export async function measureProcess(
  evalstore: Evalstore,
  dataset: Dataset,
  rounds: number,
  idleSeconds: number,
): Promise<ProcessResult> {
  const peakMemoryMb = await evalstore.memoryMb('peak');
  const killed = await timesOf(rounds, () => restartUnderLoad(evalstore, dataset));
  const started = await timesOf(rounds, () => evalstore.restart('stop'));
  await sleep(idleSeconds * 1000);
  const idleMemoryMb = await evalstore.memoryMb('now');
  return {
    startSeconds: median(started),
    startAfterKillSeconds: median(killed),
    idleSeconds,
    idleMemoryMb,
    peakMemoryMb,
  };
}
