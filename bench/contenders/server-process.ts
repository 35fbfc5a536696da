// A server of ours as a child process, until it prints its listening line.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';

export interface ServerProcess {
  readonly url: string;
  readonly pid: number;
  /** Seconds from the start of the process to its listening line. */
  readonly startSeconds: number;
  /** Resident memory in MB, now or at its highest. */
  readonly memoryMb: (which: 'now' | 'peak') => Promise<number>;
  /** Seconds of CPU time since the start, of all threads. */
  readonly cpuSeconds: () => Promise<number>;
  readonly stop: () => Promise<void>;
  /** SIGKILL: what a crash leaves behind. */
  readonly kill: () => Promise<void>;
}

const statusLines = { now: /^VmRSS:\s+(\d+) kB/m, peak: /^VmHWM:\s+(\d+) kB/m };

/** From the kernel: it counts what the engine allocates too. */
export async function residentMb(pid: number, which: 'now' | 'peak'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(statusLines[which].exec(status)?.[1]) / 1024;
}

const ticksPerSecond = 100;

/** User and system time: fields 14 and 15, counted behind the name, which may hold spaces. */
export async function cpuSeconds(pid: number): Promise<number> {
  const line = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

async function listeningUrl(child: ChildProcess, log: () => string): Promise<string> {
  let output = '';
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const ended = once(child, 'close').then(() => {
    throw new Error(`the server ended: ${log()}`);
  });
  for (;;) {
    await Promise.race([once(child.stdout!, 'data'), ended]);
    const url = /listening on (http:\S+)$/m.exec(output)?.[1];
    if (url !== undefined) return url;
  }
}

/** Runs a module of Node that prints `listening on <url>`; `logged` gets each line of its log. */
export async function startProcess(
  module: string,
  environment: Readonly<Record<string, string>>,
  logged: (line: string) => void = () => {},
  parameters: readonly string[] = [],
): Promise<ServerProcess> {
  const start = performance.now();
  const child = spawn(process.execPath, [module, ...parameters], {
    // As `npm start` has it.
    env: {
      MALLOC_ARENA_MAX: '2',
      MALLOC_MMAP_THRESHOLD_: '131072',
      ...process.env,
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  createInterface({ input: child.stderr }).on('line', (line) => {
    log = `${log}${line}\n`.slice(-4000);
    logged(line);
  });
  const url = await listeningUrl(child, () => log);
  const startSeconds = (performance.now() - start) / 1000;
  const end = async (signal: NodeJS.Signals) => {
    const closed = once(child, 'close');
    child.kill(signal);
    await closed;
  };
  return {
    url,
    pid: child.pid!,
    startSeconds,
    memoryMb: (which) => residentMb(child.pid!, which),
    cpuSeconds: () => cpuSeconds(child.pid!),
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  };
}
