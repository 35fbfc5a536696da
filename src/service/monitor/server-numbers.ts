// The numbers of the whole server, which /metrics and /status show.
import { statfs } from 'node:fs/promises';
import type { Services } from '../context.js';
import type { Folder } from './disk-usage.js';
import { deletedBytes } from './project-sizes.js';

export interface DiskNumbers {
  /** Of the disk of the data directory, as are the others in bytes. */
  readonly free: number;
  /** What inserts leave free. */
  readonly reserve: number;
  /** Segments of deleted projects. */
  readonly deleted: number;
  /** Empty before the first measurement. */
  readonly folders: ReadonlyMap<Folder, number>;
  /** In bytes per day; null as long as it is not known. */
  readonly growth: number | null;
  /** Null unless it is known to grow. */
  readonly daysLeft: number | null;
}

/**
 * The days until inserts are refused: free bytes without the reserve, divided by the growth per day.
 * @returns null if the growth is not known, or nothing grows
 */
export const daysLeft = (free: number, reserve: number, growth: number | null): number | null =>
  growth === null || growth <= 0 ? null : Math.max(0, free - reserve) / growth;

export async function serverNumbers(services: Services) {
  const { store, diskUsage, requestMetrics, config } = services;
  const { buffered, oldestBuffered, queries, refusedQueries, disk, maintenance, bucket } =
    store.stats();
  const { bavail, bsize } = await statfs(config.dataDir);
  const { bytes: folders, growth } = diskUsage;
  const free = bavail * bsize;
  const numbers: DiskNumbers = {
    free,
    reserve: disk.reserve,
    deleted: deletedBytes(services),
    folders,
    growth,
    daysLeft: daysLeft(free, disk.reserve, growth),
  };
  const budgets = {
    ...requestMetrics.budgets,
    queries: { used: queries.running, refused: refusedQueries },
  };
  const age = oldestBuffered === null ? 0 : Math.max(0, Date.now() - oldestBuffered) / 1000;
  return {
    /** The age of the oldest row, in seconds, is 0 without one. */
    buffered: { ...buffered, age },
    queries,
    budgets,
    refusedInserts: disk.refused,
    disk: numbers,
    maintenance,
    bucket,
  };
}

export type ServerNumbers = Awaited<ReturnType<typeof serverNumbers>>;
