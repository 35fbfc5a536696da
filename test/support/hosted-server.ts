// Servers in one child process that serves all test files of this process. A server that has a process of its own needs
// seconds of processor time to load its code and to compile what runs first: that is for tests of the process.
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { bucketCredentials } from './bucket-service.js';
import type { HostReply, HostRequest } from './host-servers.js';
import { clientAt, testKey } from './client.js';
import { areEvicted, evictedTuning } from './evicted-segments.js';
import { mergingAtOnce } from './merging-at-once.js';
import { serverVariables, type ServerTuning, type TestServer } from './test-server.js';

export interface HostedOptions {
  /** Kept when the server stops; by default a new directory that is removed. */
  readonly dir?: string;
  /** Configuration variables; undefined removes one. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Settings of the store that have no variable. */
  readonly tuning?: Omit<ServerTuning, 'diesAt'>;
}

const entry = fileURLToPath(new URL('server-host.cjs', import.meta.url));

let host: ChildProcess | undefined;
let servers = 0;

/** The running host; a new one when there is none, or when the last one ended. */
function runningHost(): ChildProcess {
  if (host?.connected === true) return host;
  host = fork(entry, {
    execArgv: [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, ...bucketCredentials },
  });
  host.setMaxListeners(0);
  // Nothing has to wait for it: it ends when this process does.
  host.unref();
  host.channel?.unref();
  return host;
}

/** @throws Error with the reason when it cannot be done, also when the host ends meanwhile */
async function ask(child: ChildProcess, request: HostRequest): Promise<string | null> {
  if (!child.connected) throw new Error('the process of the servers has ended');
  const settled = new AbortController();
  const { signal } = settled;
  const ended = once(child, 'exit', { signal }).then(([code, name]) => {
    throw new Error(`the process of the servers ended with ${String(code ?? name)}`);
  });
  const replied = new Promise<string | null>((resolve, reject) => {
    const read = (reply: HostReply) => {
      if (reply.server !== request.server || 'log' in reply) return;
      child.off('message', read);
      if ('failed' in reply) reject(new Error(reply.failed));
      else resolve(reply.done);
    };
    child.on('message', read);
  });
  child.ref();
  child.channel?.ref();
  child.send(request);
  try {
    return await Promise.race([replied, ended]);
  } finally {
    ended.catch(() => {});
    settled.abort();
    child.unref();
    child.channel?.unref();
  }
}

/** Resolves when the server listens. */
export async function openServer(options: HostedOptions = {}): Promise<TestServer> {
  const dir = options.dir ?? (await mkdtemp(path.join(tmpdir(), 'evalstore-')));
  const child = runningHost();
  const server = servers++;
  let log = '';
  const read = (reply: HostReply) => {
    if (reply.server === server && 'log' in reply) log += reply.log;
  };
  child.on('message', read);
  const { environment, tuning = {} } = options;
  const variables = serverVariables(dir, environment);
  const merging = { ...mergingAtOnce(tuning), ...evictedTuning };
  const url = await ask(child, { server, open: { variables, tuning: merging } });
  const settle = async () => void (await ask(child, { server, settle: true }));
  let stopped: Promise<void> | undefined;
  const stop = async () => {
    await ask(child, { server, close: true });
    child.off('message', read);
    if (options.dir === undefined) await rm(dir, { recursive: true, force: true });
  };
  return {
    url: url ?? '',
    key: testKey,
    dir,
    log: () => log,
    ...clientAt(url ?? '', testKey, areEvicted ? settle : undefined),
    settle,
    stop: () => (stopped ??= stop()),
  };
}
