// The built server as a child process on a free port.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { openServer, type HostedOptions } from './hosted-server.js';
import { clientAt, outcome, testKey } from './client.js';
import { areEvicted, evictedTuning } from './evicted-segments.js';
import { mergingAtOnce } from './merging-at-once.js';
import { serverVariables, type ServerTuning, type TestServer } from './test-server.js';

export { clientAt, outcome, testKey };
export type { Answer, Client, Json, RequestOptions } from './client.js';
export type { ServerTuning, TestServer } from './test-server.js';

const entry = fileURLToPath(new URL('../../server/evalstore.cjs', import.meta.url));
/** As `npm start` has it. */
const allocator = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072' };
const tunedEntry = fileURLToPath(new URL('server-process.cjs', import.meta.url));

export interface ServerOptions {
  /** Kept when the server stops; by default a new directory that is removed. */
  readonly dir?: string;
  /** Configuration variables; undefined removes one. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Settings of the store that have no variable. */
  readonly tuning?: ServerTuning;
  /** Of another build than this one. */
  readonly entry?: string;
  /** A command that runs the server's command: a tracer. */
  readonly wrapper?: readonly string[];
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A server that is a process of its own. */
export interface ServerProcess extends TestServer {
  readonly pid: number;
  /** Everything written to standard output so far. */
  readonly output: () => string;
  /** SIGTERM, and waits for the end. */
  stop(): Promise<Exit>;
  /** SIGKILL: what a crash leaves behind. */
  kill(): Promise<Exit>;
}

interface Process {
  readonly child: ChildProcess;
  readonly exited: Promise<Exit>;
  readonly output: () => string;
  readonly log: () => string;
}

function startProcess(dir: string, options: ServerOptions): Process {
  const { wrapper = [], tuning = areEvicted ? {} : undefined } = options;
  const program =
    tuning === undefined
      ? [options.entry ?? entry]
      : [tunedEntry, JSON.stringify({ ...mergingAtOnce(tuning), ...evictedTuning })];
  const [command = '', ...parameters] = [...wrapper, process.execPath, ...program];
  const child: ChildProcess = spawn(command, parameters, {
    env: { ...allocator, ...serverVariables(dir, options.environment) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let log = '';
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (log += chunk.toString()));
  const exited = once(child, 'close').then(([code, signal]) => ({ code, signal }));
  return { child, exited, output: () => output, log: () => log };
}

interface Ended extends Exit {
  readonly output: string;
  readonly log: string;
}

/** Does not wait for it to listen. */
export function spawnServer(options: ServerOptions & { readonly dir: string }): {
  readonly pid: number;
  readonly exit: Promise<Ended>;
} {
  const { child, exited, output, log } = startProcess(options.dir, options);
  const exit = exited.then((ended) => ({ ...ended, output: output(), log: log() }));
  return { pid: child.pid!, exit };
}

/** Runs the server with this environment until it exits by itself. */
export const runToExit = (options: ServerOptions & { readonly dir: string }): Promise<Ended> =>
  spawnServer(options).exit;

/** Resolves with what `find` finds in the output, as soon as it is there. */
async function written<T>(
  { child, exited, output, log }: Process,
  find: (output: string) => T | undefined,
): Promise<T> {
  const ended = exited.then((exit) => {
    throw new Error(`the server ended with ${JSON.stringify(exit)}: ${log()}`);
  });
  for (;;) {
    const found = find(output());
    if (found !== undefined) return found;
    await Promise.race([once(child.stdout!, 'data'), ended]);
  }
}

const listeningUrl = (running: Process): Promise<string> =>
  written(running, (output) => /^evalstore listening on (http:\S+)$/m.exec(output)?.[1]);

async function settled(running: Process): Promise<void> {
  const { length } = running.output();
  running.child.kill('SIGUSR2');
  await written(running, (output) => (output.includes('settled', length) ? true : undefined));
}

/** Resolves when the server listens. */
export async function startServer(options: ServerOptions = {}): Promise<ServerProcess> {
  const dir = options.dir ?? (await mkdtemp(path.join(tmpdir(), 'evalstore-')));
  const running = startProcess(dir, options);
  const { child, exited, output, log } = running;
  const url = await listeningUrl(running);
  const settle = () => settled(running);
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    const exit = await exited;
    if (options.dir === undefined) await rm(dir, { recursive: true, force: true });
    return exit;
  };
  return {
    url,
    key: testKey,
    dir,
    pid: child.pid!,
    output,
    log,
    ...clientAt(url, testKey, areEvicted ? settle : undefined),
    settle,
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  };
}

function shared<S extends TestServer, O>(start: (options: O) => Promise<S>, options: O): () => S {
  let server: S;
  before(async () => {
    server = await start(options);
  });
  after(() => server.stop());
  return () => server;
}

/** One server for the tests of a `describe`, stopped after them; servers of other tests run in its process, too. */
export const sharedServer = (options: HostedOptions = {}): (() => TestServer) =>
  shared(openServer, options);

/** The same with a process of its own, for tests that may exhaust it. */
export const sharedProcess = (options: ServerOptions = {}): (() => ServerProcess) =>
  shared(startServer, options);
