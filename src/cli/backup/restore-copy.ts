// Fills a directory from the bucket of a server: from its newest copy of the manifest and the segments that this lists.
import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from '../../config.js';
import { sync } from '../../durable-file.js';
import { Writer } from '../../duckdb/writer.js';
import { isLatestCopy, latestKey, type LatestCopy } from '../../store/bucket/latest-copy.js';
import { objectKey } from '../../store/bucket/objects.js';
import { readJson } from '../../store/bucket/owner.js';
import { withoutLogs } from '../../store/bucket/restored-manifest.js';
import { SegmentFiles } from '../../store/segment/segment-files.js';
import type { Segment } from '../../store/segment/segment.js';
import type { Progress } from '../progress.js';
import type { BackedUpFile } from './description.js';
import { fetchFile } from './fetch-file.js';
import type { RemoteDirectory } from './remote-directory.js';
import { someAtOnce } from './some-at-once.js';
import { database } from './source-files.js';

/** Has the database until all else is there. */
const preparing = 'restored-manifest';

/** @throws Error if there is none, or it is damaged */
export async function readLatestCopy(remote: RemoteDirectory): Promise<LatestCopy> {
  const latest = await readJson(remote, latestKey, isLatestCopy);
  if (latest !== null) return latest;
  throw new Error(`${remote.name}: there is no ${latestKey} of a server, and there is no backup`);
}

async function prepareManifest(
  directory: string,
  { writerMemoryMb: memoryMb }: Config,
): Promise<readonly Segment[]> {
  const writer = await Writer.open(path.join(directory, preparing, database), {
    memoryMb,
    threads: 1,
  });
  try {
    return await withoutLogs(writer, directory);
  } finally {
    await writer.close();
  }
}

/** Files of the segments, and their keys in the bucket. */
function filesOf(segments: readonly Segment[], directory: string) {
  const files = new SegmentFiles(path.resolve(directory, 'segments'));
  return segments.flatMap((segment) =>
    files.of(segment).map(({ kind, file }) => {
      const { bytes, crc32 } = segment.checksums[kind]!;
      const from = path.relative(path.resolve(directory), file).replaceAll(path.sep, '/');
      return { key: objectKey(segment, file), path: from, bytes, crc32 };
    }),
  );
}

/**
 * The database comes last, so that a server refuses a part of it.
 * @returns the files that it brought
 * @throws Error for a missing or damaged object
 */
export async function restoreCopy(
  remote: RemoteDirectory,
  { key, bytes, crc32 }: LatestCopy,
  directory: string,
  config: Config,
  progress: Progress,
): Promise<readonly BackedUpFile[]> {
  const prepared = path.join(directory, preparing);
  await rm(prepared, { recursive: true, force: true });
  const copy = { path: key, bytes, crc32 };
  await fetchFile(remote, key, copy, prepared, progress);
  await rename(path.join(prepared, key), path.join(prepared, database));
  const segments = filesOf(await prepareManifest(directory, config), directory);
  await someAtOnce(segments, (file) => fetchFile(remote, file.key, file, directory, progress));
  await rename(path.join(prepared, database), path.join(directory, database));
  await sync(directory);
  await rm(prepared, { recursive: true });
  return [copy, ...segments];
}
