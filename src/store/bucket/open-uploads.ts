// What follows a publication, with a bucket or without one.
import type { Writer } from '../../duckdb/writer.js';
import type { AfterPublication } from '../maintenance/publisher.js';
import { forgetDroppedSegments } from '../manifest/segments.js';
import { setInstance } from '../manifest/uploads.js';
import type { Bucket } from './objects.js';
import { Uploads, type UploadDeps } from './uploads.js';

/** @throws NotOwner */
export async function openUploads({
  bucket,
  ...parts
}: Omit<UploadDeps, 'bucket'> & { readonly bucket: Bucket | null }): Promise<Uploads | null> {
  if (bucket !== null) return Uploads.open({ bucket, ...parts });
  await setInstance(parts.writer, null);
  return null;
}

/** Dropped segments have local files alone. */
export const withoutBucket = (writer: Writer): AfterPublication => ({
  published: () => {},
  dropped: (segments) => forgetDroppedSegments(writer, segments),
  removed: () => Promise.resolve(),
});
