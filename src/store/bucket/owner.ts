// Whose the bucket is: `owner.json` names the store, and the process that writes to it. Of two servers with copies of one data
// directory, the one that started last owns the bucket, and the other one stops writing.
import { crc32 } from 'node:zlib';
import { Type, type Static } from 'typebox';
import { Check } from 'typebox/value';
import type { Writer } from '../../duckdb/writer.js';
import { readDroppedSegments, readSegments } from '../manifest/segments.js';
import { distrustUploads, readOwner, readUploaded, setInstance } from '../manifest/uploads.js';
import type { SegmentName } from '../segment/segment-files.js';
import { segmentObjects, segmentOfKey, type Bucket } from './objects.js';

export const ownerKey = 'owner.json';

const ownerSchema = Type.Object({
  store: Type.String(),
  instance: Type.String(),
  time: Type.String(),
});

export type Owner = Static<typeof ownerSchema>;

/** This server must not write to the bucket. The message says why, and what to do. */
export class NotOwner extends Error {
  override readonly name = 'NotOwner';
}

/** An object of JSON that matches the schema; null if it is missing. @throws Error if it is something else */
export async function readJson<T>(
  bucket: { readonly name: string; get(key: string): AsyncIterable<Buffer> },
  key: string,
  isRight: (value: unknown) => value is T,
): Promise<T | null> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of bucket.get(key)) chunks.push(chunk);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  let found: unknown;
  try {
    found = JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    found = undefined;
  }
  if (!isRight(found)) throw new Error(`${bucket.name}/${key} is damaged`);
  return found;
}

export function writeJson(bucket: Bucket, key: string, value: unknown): Promise<void> {
  const content = Buffer.from(`${JSON.stringify(value)}\n`);
  return bucket.put(key, {
    bytes: content.length,
    crc32: crc32(content),
    open: () => [content],
  });
}

const isOwner = (value: unknown): value is Owner => Check(ownerSchema, value);

/**
 * Makes the process the owner.
 * @param passNumber called with the number of each segment in the bucket that the manifest does not know; it is not used for another
 * one. False if it is already: the upload of that one replaces the objects.
 * @returns false if another one may have changed the bucket since this store wrote to it: nothing counts as uploaded then
 * @throws NotOwner if the bucket is another store's, or not the one that this store was copied to
 */
export async function takeOver(
  bucket: Bucket,
  writer: Writer,
  instance: string,
  passNumber: (source: number) => boolean,
): Promise<boolean> {
  const { storeId, instanceId } = await readOwner(writer);
  const found = await readJson(bucket, ownerKey, isOwner);
  if (found !== null && found.store !== storeId)
    throw new NotOwner(
      `${bucket.name} has the data of another store: give this one a prefix of its own in EVALSTORE_BUCKET`,
    );
  const uploaded = (await readUploaded(writer)).length;
  if (found === null && uploaded > 0)
    throw new NotOwner(
      `${bucket.name} has no ${ownerKey}, but ${uploaded} segments of this store are in a bucket: EVALSTORE_BUCKET has to name that one`,
    );
  const isUnchanged = found === null || found.instance === instanceId;
  if (!isUnchanged) {
    const unlisted = await unlistedIn(bucket, writer);
    const removable = unlisted.filter(({ source }) => passNumber(source));
    await distrustUploads(writer, removable);
  }
  await setInstance(writer, instance);
  const time = new Date().toISOString();
  await writeJson(bucket, ownerKey, { store: storeId, instance, time } satisfies Owner);
  return isUnchanged;
}

/** @throws NotOwner if another process took over */
export async function requireOwner(bucket: Bucket, instance: string): Promise<void> {
  const found = await readJson(bucket, ownerKey, isOwner);
  if (found === null) throw new Error(`${bucket.name} has no ${ownerKey} any more`);
  if (found.instance !== instance)
    throw new NotOwner(
      `another server with a copy of this data directory took over ${bucket.name} at ${found.time}: this one stores nothing any more, stop it`,
    );
}

/** The segments in the bucket that the manifest neither lists nor dropped: it is older than they are. */
async function unlistedIn(bucket: Bucket, writer: Writer): Promise<readonly SegmentName[]> {
  const found = new Map<number, SegmentName>();
  for await (const { key } of bucket.list(segmentObjects)) {
    const segment = segmentOfKey(key);
    if (segment !== null) found.set(segment.source, segment);
  }
  const known = [...(await readSegments(writer)), ...(await readDroppedSegments(writer))];
  for (const { source } of known) found.delete(source);
  return [...found.values()];
}
