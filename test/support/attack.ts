// What an attack does to a server that runs as a process of its own: the memory that it takes, and whether others are answered.
import { readFile } from 'node:fs/promises';
import { startServer, type TestServer } from './start-server.js';

/** Highest resident memory of the process so far, in MB. */
export async function peakMemoryMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}

export interface Beside<T> {
  readonly result: T;
  /** Answers that others got meanwhile. */
  readonly answers: number;
  /** Longest time that one of them took, in milliseconds. */
  readonly longestMs: number;
}

/** Asks for something small, again and again, while the work runs. */
export async function askingBeside<T>(server: TestServer, work: Promise<T>): Promise<Beside<T>> {
  const running = new Set([work]);
  const result = work.finally(() => running.clear());
  let answers = 0;
  let longestMs = 0;
  while (running.size > 0) {
    const start = performance.now();
    const { status } = await server.request('GET', '/health', undefined, { key: null });
    if (status !== 200) throw new Error(`/health answers ${status}`);
    longestMs = Math.max(longestMs, performance.now() - start);
    answers += 1;
  }
  return { result: await result, answers, longestMs };
}

/** A server that ends, and not the machine, when an attack succeeds. */
export const startBounded = (environment: Readonly<Record<string, string>> = {}) =>
  startServer({
    environment: {
      NODE_OPTIONS: '--max-old-space-size=1500',
      EVALSTORE_QUERY_MEMORY_MB: '512',
      ...environment,
    },
  });
