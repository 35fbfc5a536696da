// What the process of the server weighs while it is under load, and whether that grows.
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { median } from '../measure.js';
import type { StoreServer } from '../store/server.js';

export interface Sample {
  readonly seconds: number;
  readonly memoryMb: number;
  readonly files: number;
  readonly segments: number;
}

export async function sampleOf(server: StoreServer, seconds: number): Promise<Sample> {
  const segments = await readdir(path.join(server.dataDirectory, 'segments'), {
    recursive: true,
  }).catch(() => []);
  return {
    seconds,
    memoryMb: await server.memoryMb('now'),
    files: (await readdir(`/proc/${server.pid}/fd`)).length,
    segments: segments.filter((name) => /\d\.parquet$/.test(name)).length,
  };
}

/** Parts of the run that are compared: the first part is the warm-up, in which caches are filled. */
const parts = 4;

export interface Growth {
  readonly before: number;
  readonly after: number;
}

/** Medians of the second part and of the last one. */
export function growthOf(samples: readonly Sample[], of: (sample: Sample) => number): Growth {
  const size = Math.floor(samples.length / parts);
  return {
    before: median(samples.slice(size, 2 * size).map(of)),
    after: median(samples.slice(-size).map(of)),
  };
}
