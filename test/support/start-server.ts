// The built server as a child process on a free port, and a small client for it.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { StoreTuning } from '../../src/server.js';
import type { Step } from '../../src/store/step.js';
import { checkAnswer } from './check-answer.js';

const entry = fileURLToPath(new URL('../../src/evalstore.cjs', import.meta.url));
const tunedEntry = fileURLToPath(new URL('server-process.cjs', import.meta.url));
export const testKey = 'test-key-of-tests';

/** What can be said as JSON of `StoreTuning`, and a moment at which the process kills itself. */
export interface ServerTuning extends Pick<StoreTuning, 'compaction' | 'segments' | 'slices'> {
  /** The n-th time that the store reaches the step. */
  readonly diesAt?: { readonly step: Step; readonly times: number };
}

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

export interface RequestOptions {
  /** null sends no key. */
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON; throws when it is something else. */
  readonly json: () => Readonly<Record<string, unknown>>;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface TestServer {
  readonly url: string;
  readonly key: string;
  readonly dir: string;
  readonly pid: number;
  /** Everything written to standard output so far. */
  readonly output: () => string;
  /** Everything written to standard error so far: the log. */
  readonly log: () => string;
  /** A string or bytes are sent as they are, anything else as JSON. */
  request(method: string, path: string, body?: unknown, options?: RequestOptions): Promise<Answer>;
  /** Waits until everything is in segments, and nothing is left to do in the background; for servers with `tuning`. */
  settle(): Promise<void>;
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
  const { wrapper = [], tuning } = options;
  const program =
    tuning === undefined ? [options.entry ?? entry] : [tunedEntry, JSON.stringify(tuning)];
  const [command = '', ...parameters] = [...wrapper, process.execPath, ...program];
  const child: ChildProcess = spawn(command, parameters, {
    env: {
      ...process.env,
      EVALSTORE_PORT: '0',
      EVALSTORE_DATA_DIR: dir,
      EVALSTORE_API_KEY: testKey,
      EVALSTORE_QUERY_MEMORY_MB: '512',
      ...options.environment,
    },
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

type Body = NonNullable<RequestInit['body']> | null;

const bodyText = (body: unknown): Body => {
  if (body === undefined) return null;
  return typeof body === 'string' || body instanceof Uint8Array
    ? (body as Body)
    : JSON.stringify(body);
};

/** `headers` may be a whole set: nothing is added but the key and that bodies come as they are. */
async function send(
  url: string,
  method: string,
  body: unknown,
  { key = testKey, headers = {} }: RequestOptions,
): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: {
      // Compressed bodies have tests of their own; everywhere else they would cost time alone.
      'Accept-Encoding': 'identity',
      ...(key === null ? {} : { Authorization: `Bearer ${key}` }),
      ...headers,
    },
    body: bodyText(body),
  });
  const text = await response.text();
  const type = response.headers.get('content-type') ?? '';
  if (response.status === 200) checkAnswer(method, new URL(url).pathname, type, text);
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: () => {
      if (response.status !== 200) throw new Error(`${method} ${url}: ${response.status} ${text}`);
      return JSON.parse(text) as Record<string, unknown>;
    },
  };
}

/** Sends requests to a server that somebody else started. */
export const clientAt = (url: string): Pick<TestServer, 'request'> => ({
  request: (method, requestPath, body, requestOptions = {}) =>
    send(`${url}${requestPath}`, method, body, requestOptions),
});

/** Resolves when the server listens. */
export async function startServer(options: ServerOptions = {}): Promise<TestServer> {
  const dir = options.dir ?? (await mkdtemp(path.join(tmpdir(), 'evalstore-')));
  const running = startProcess(dir, options);
  const { child, exited, output, log } = running;
  const url = await listeningUrl(running);
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
    ...clientAt(url),
    settle: () => settled(running),
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  };
}

/** One server for the tests of a `describe`, stopped after them. */
export function sharedServer(options: ServerOptions = {}): () => TestServer {
  let server: TestServer;
  before(async () => {
    server = await startServer(options);
  });
  after(() => server.stop());
  return () => server;
}
