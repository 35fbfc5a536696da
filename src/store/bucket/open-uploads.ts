// What follows a publication, with a bucket or without one.
import { existsSync } from 'node:fs';
import type { Writer } from '../../duckdb/writer.js';
import type { Reclamation } from '../file/reclamation.js';
import type { AfterPublication } from '../maintenance/publisher.js';
import { forgetDroppedSegments } from '../manifest/segments.js';
import { readUploaded, setInstance } from '../manifest/uploads.js';
import { Eviction } from './eviction.js';
import { BucketFiles } from './bucket-files.js';
import type { Bucket } from './objects.js';
import { Uploads, type UploadDeps } from './uploads.js';

export interface BucketDeps extends Omit<UploadDeps, 'bucket'> {
  readonly bucket: Bucket | null;
  readonly reclamation: Reclamation;
  readonly cacheBytes: number;
  readonly fetchBytes: number;
}

export interface BucketParts {
  readonly uploads: Uploads;
  readonly eviction: Eviction;
}

/** @throws NotOwner; Error without a bucket if files are only there */
export async function openUploads({ bucket, ...parts }: BucketDeps): Promise<BucketParts | null> {
  if (bucket === null) {
    await refuseEvicted(parts);
    await setInstance(parts.writer, null);
    return null;
  }
  const { checked, reached, fetchBytes } = parts;
  const isUploaded = (source: number): boolean => uploads.isUploaded(source);
  const eviction = new Eviction({ ...parts, isUploaded });
  const brought = () => eviction.schedule();
  checked.useCopies(new BucketFiles({ bucket, queryBytesMax: fetchBytes, reached, brought }));
  const uploads = await Uploads.open({ bucket, ...parts });
  uploads.onUploaded(brought);
  eviction.schedule();
  return { uploads, eviction };
}

async function refuseEvicted({
  writer,
  files,
  committed,
}: Omit<BucketDeps, 'bucket'>): Promise<void> {
  const uploaded = new Set(await readUploaded(writer));
  const evicted = committed().segments.filter(
    (segment) =>
      uploaded.has(segment.source) && files.of(segment).some(({ file }) => !existsSync(file)),
  );
  if (evicted.length > 0)
    throw new Error(
      `the files of ${evicted.length} segments are only in the bucket: EVALSTORE_BUCKET has to name it`,
    );
}

/** Dropped segments have local files alone. */
export const withoutBucket = (writer: Writer): AfterPublication => ({
  published: () => {},
  dropped: (segments) => forgetDroppedSegments(writer, segments),
  removed: () => Promise.resolve(),
});
