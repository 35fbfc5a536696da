// The bytes of the folders of the data directory. They are measured in the background, at most once a minute, when a scrape asks for
// them, and every hour, so that their growth is known: to look at each of a hundred thousand files takes seconds.
import type { Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import path from 'node:path';

const everyMs = 60_000;

/** The folders that have a number of their own. `other`: the databases, and what Evalstore did not write. */
const named = ['attachments', 'log', 'objects', 'segments', 'tmp'] as const;

export type Folder = (typeof named)[number] | 'other';

const folderOf = (name: string): Folder => named.find((each) => each === name) ?? 'other';

/** Without files that are removed meanwhile. */
async function bytesOf(file: string, entry: Dirent): Promise<number> {
  if (!entry.isDirectory()) {
    const { size } = await lstat(file).catch(() => ({ size: 0 }));
    return size;
  }
  let sum = 0;
  for (const each of await entriesOf(file)) sum += await bytesOf(path.join(file, each.name), each);
  return sum;
}

const entriesOf = (directory: string): Promise<readonly Dirent[]> =>
  readdir(directory, { withFileTypes: true }).catch(() => []);

interface Sample {
  /** In milliseconds of a clock that is never set. */
  readonly at: number;
  /** Of what stays on disk: without the log and temporary files, which flushes and queries empty. */
  readonly bytes: number;
}

const dayMs = 86_400_000;

/** The time between samples, and that from which growth is known: less than an hour, since a task samples every hour. */
const sampleMs = 3_000_000;

/**
 * Growth of what stays on disk, in bytes per day: from the oldest sample to `last`, divided by the time between them.
 * @param samples of the last day, oldest first
 * @returns null until 50 minutes have passed
 */
export function growthOf(samples: readonly Sample[], last: Sample): number | null {
  const [first = last] = samples;
  const ms = last.at - first.at;
  return ms < sampleMs ? null : ((last.bytes - first.bytes) * dayMs) / ms;
}

export class DiskUsage {
  readonly #directory: string;
  readonly #now: () => number;
  #bytes: ReadonlyMap<Folder, number> = new Map();
  #askedAt = -Infinity;
  #samples: readonly Sample[] = [];
  #growth: number | null = null;

  /** @param now a clock that is never set, in milliseconds */
  constructor(dataDirectory: string, now: () => number = () => performance.now()) {
    this.#directory = dataDirectory;
    this.#now = now;
  }

  /** The bytes that were measured last; none before the first measurement ends. Starts the next one if that was a minute ago. */
  get bytes(): ReadonlyMap<Folder, number> {
    this.refresh();
    return this.#bytes;
  }

  /** In bytes per day; null as long as it is not known. */
  get growth(): number | null {
    return this.#growth;
  }

  /** Starts a measurement if the last one was a minute ago. */
  refresh(): void {
    const now = this.#now();
    if (now < this.#askedAt + everyMs) return;
    this.#askedAt = now;
    void this.#measure(now);
  }

  async #measure(at: number): Promise<void> {
    const bytes = new Map<Folder, number>([...named, 'other' as const].map((name) => [name, 0]));
    for (const entry of await entriesOf(this.#directory)) {
      const folder = folderOf(entry.name);
      const more = await bytesOf(path.join(this.#directory, entry.name), entry);
      bytes.set(folder, bytes.get(folder)! + more);
    }
    this.#bytes = bytes;
    this.#sample({ at, bytes: stayingOf(bytes) });
  }

  #sample(last: Sample): void {
    const samples = this.#samples.filter(({ at }) => at >= last.at - dayMs);
    this.#growth = growthOf(samples, last);
    const isDue = last.at - (samples.at(-1)?.at ?? -Infinity) >= sampleMs;
    this.#samples = isDue ? [...samples, last] : samples;
  }
}

const stayingOf = (bytes: ReadonlyMap<Folder, number>): number =>
  [...bytes].reduce((sum, [name, more]) => (/^(log|tmp)$/.test(name) ? sum : sum + more), 0);
