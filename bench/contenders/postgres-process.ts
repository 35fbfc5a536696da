// A PostgreSQL server of the benchmark's own: its own data directory, a free port, stopped afterwards.
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, readdir } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { totalmem } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Surroundings } from './contender.js';

const run = promisify(execFile);

export interface PostgresProcess {
  readonly pid: number;
  readonly port: number;
  readonly user: string;
  readonly dataDirectory: string;
  readonly stop: () => Promise<void>;
}

interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** It refuses to run as root; Debian's package brings an account for it. */
async function accountFor(): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const [uid, gid] = await Promise.all(['-u', '-g'].map((flag) => run('id', [flag, 'postgres'])));
  return { uid: Number(uid?.stdout), gid: Number(gid?.stdout) };
}

/** Debian keeps the programs of each version in a directory that is not on the path. */
async function programs(): Promise<string> {
  const installed = '/usr/lib/postgresql';
  const versions = await readdir(installed).catch(() => []);
  const newest = versions.toSorted((a, b) => Number(b) - Number(a))[0];
  if (newest === undefined)
    throw new Error(`postgres: not installed in ${installed}: apt-get install postgresql`);
  return path.join(installed, newest, 'bin');
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

const settings = (port: number, directory: string, { threads }: Surroundings): readonly string[] =>
  [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    `unix_socket_directories=${directory}`,
    `shared_buffers=${Math.floor(totalmem() / 2 ** 22)}MB`,
    'work_mem=256MB',
    'maintenance_work_mem=512MB',
    'max_wal_size=8GB',
    'timezone=UTC',
    `max_parallel_workers_per_gather=${threads}`,
  ].flatMap((setting) => ['-c', setting]);

async function untilReady(child: ChildProcess): Promise<void> {
  let log = '';
  const ended = once(child, 'close').then(() => {
    throw new Error(`postgres ended: ${log}`);
  });
  while (!log.includes('ready to accept connections')) {
    const [chunk] = (await Promise.race([once(child.stderr!, 'data'), ended])) as [Buffer];
    log += chunk.toString();
  }
  child.stderr!.resume();
}

export async function startPostgres(surroundings: Surroundings): Promise<PostgresProcess> {
  const account = await accountFor();
  const bin = await programs();
  const directory = path.join(surroundings.directory, 'postgres');
  await mkdir(directory);
  if (account !== undefined) await chown(directory, account.uid, account.gid);
  await chmod(directory, 0o700);
  const identity = { ...account, cwd: directory };
  const dataDirectory = path.join(directory, 'data');
  const user = 'bench';
  await run(
    path.join(bin, 'initdb'),
    ['-D', dataDirectory, '-U', user, '-A', 'trust', '--encoding=UTF8', '--locale=C.UTF-8'],
    identity,
  );
  const port = await freePort();
  const child = spawn(
    path.join(bin, 'postgres'),
    ['-D', dataDirectory, ...settings(port, directory, surroundings)],
    {
      ...identity,
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  await untilReady(child);
  const stop = async () => {
    const closed = once(child, 'close');
    // "Smart": waits for the sessions to end, which the clients have closed, writes what must be written, exits.
    child.kill('SIGTERM');
    await closed;
  };
  return { pid: child.pid!, port, user, dataDirectory, stop };
}
