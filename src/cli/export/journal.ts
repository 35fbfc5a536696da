// What a long command has done, so that the same command goes on after a kill: a line of JSON for each finished step.
import { open, readFile, rm, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { sync } from '../../durable-file.js';

export interface Journal {
  /** Whether an earlier run wrote a part of it. */
  readonly isResumed: boolean;
  /** The value of a finished step; otherwise runs the step and notes its value, which is JSON. */
  readonly once: <T>(step: string, run: () => Promise<T>) => Promise<T>;
  /** Forgets a finished step, so that it runs again. */
  readonly forget: (step: string) => void;
  readonly valueOf: (step: string) => unknown;
  /** Without a finished step, no file is left. */
  readonly close: () => Promise<void>;
  readonly remove: () => Promise<void>;
}

/** Null for the end of a line that a kill cut off. */
function entryOf(line: string): readonly [step: string, value: unknown] | null {
  try {
    return JSON.parse(line) as [string, unknown];
  } catch {
    return null;
  }
}

const textOf = async (file: string): Promise<string> =>
  readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });

async function append(handle: FileHandle, entry: readonly [string, unknown]): Promise<void> {
  await handle.write(`${JSON.stringify(entry)}\n`);
  await handle.sync();
}

export async function openJournal(file: string): Promise<Journal> {
  const text = await textOf(file);
  const entries = text.split('\n').map(entryOf);
  const done = new Map(entries.filter((entry) => entry !== null));
  const handle = await open(file, 'a');
  await sync(path.dirname(file));
  // A line that was cut off must not be continued.
  if (text !== '' && !text.endsWith('\n')) await handle.write('\n');
  return {
    isResumed: done.size > 0,
    once: async <T>(step: string, run: () => Promise<T>): Promise<T> => {
      if (done.has(step)) return done.get(step) as T;
      const value = await run();
      await append(handle, [step, value]);
      done.set(step, value);
      return value;
    },
    forget: (step) => done.delete(step),
    valueOf: (step) => done.get(step),
    close: async () => {
      await handle.close();
      if (done.size === 0) await rm(file);
    },
    remove: async () => {
      await handle.close();
      await rm(file);
    },
  };
}
