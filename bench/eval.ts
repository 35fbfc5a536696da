// npm run bench -- eval: how long an Eval of the newest SDK waits for the server, beside the same Eval that stores nothing.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { watchLoad } from './machine-load.js';
import { median } from './measure.js';
import { startStore, type StoreServer } from './store/server.js';

const run = promisify(execFile);
const root = path.join(fileURLToPath(new URL('..', import.meta.url)), '..');
const program = path.join(root, 'bench/eval/program.mjs');

const { values } = parseArgs({
  options: {
    cases: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '5' },
    /** Milliseconds of a task, of which 20 run at the same time; a comma between several. */
    tasks: { type: 'string', default: '0,20' },
  },
});

interface Times {
  readonly wallMs: number;
  /** In which the process of the Eval had nothing to do. */
  readonly idleMs: number;
}

async function evaluate(
  { url, key }: StoreServer,
  taskMs: string,
  to: 'server' | 'local',
): Promise<Times> {
  const { stdout } = await run(process.execPath, [program, values.cases, taskMs, to], {
    env: { BRAINTRUST_API_URL: url, BRAINTRUST_APP_URL: url, BRAINTRUST_API_KEY: key },
  });
  return JSON.parse(/^RESULT (.*)$/m.exec(stdout)?.[1] ?? '') as Times;
}

const medians = (all: readonly Times[]): Times => ({
  wallMs: median(all.map(({ wallMs }) => wallMs)),
  idleMs: median(all.map(({ idleMs }) => idleMs)),
});

/** An Eval waits for its tasks, too: what the local one does not wait is time for the server. */
async function measure(server: StoreServer, taskMs: string): Promise<void> {
  const stored: Times[] = [];
  const local: Times[] = [];
  const endLoad = await watchLoad();
  const cpuBefore = await server.cpuSeconds();
  for (let round = 0; round < Number(values.rounds); round++) {
    stored.push(await evaluate(server, taskMs, 'server'));
    local.push(await evaluate(server, taskMs, 'local'));
  }
  const serverCpuMs = (1000 * ((await server.cpuSeconds()) - cpuBefore)) / stored.length;
  const { othersCores } = await endLoad();
  const [withServer, without] = [medians(stored), medians(local)];
  const waitingMs = Math.max(0, withServer.idleMs - without.idleMs);
  console.log(
    JSON.stringify({
      cases: Number(values.cases),
      taskMs: Number(taskMs),
      wallMs: Math.round(withServer.wallMs),
      localMs: Math.round(without.wallMs),
      waitingMs: Math.round(waitingMs),
      waitingShare: Math.round((1000 * waitingMs) / withServer.wallMs) / 1000,
      serverCpuMs: Math.round(serverCpuMs),
      othersCores: Math.round(othersCores * 10) / 10,
    }),
  );
}

const directory = await mkdtemp(path.join(tmpdir(), 'evalstore-bench-'));
const server = await startStore(root, directory);
try {
  for (const taskMs of values.tasks.split(',')) await measure(server, taskMs);
} finally {
  await server.stop();
  await rm(directory, { recursive: true });
}
