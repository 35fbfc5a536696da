// How many threads of this process have which priority.
import { readdir } from 'node:fs/promises';
import os from 'node:os';

/** The threads of this process, by nice value. */
export async function threadsByNiceness(): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const thread of await readdir('/proc/self/task')) {
    const nice = os.getPriority(Number(thread));
    counts[nice] = (counts[nice] ?? 0) + 1;
  }
  return counts;
}
