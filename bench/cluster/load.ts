// Events in a project whose segments are all in the bucket, and what they take there.
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EvalstoreClient } from '../contenders/evalstore-client.js';
import type { Dataset } from '../generator/dataset.js';
import { bulkConnections, insertInBulk } from '../ingest/bulk.js';
import { untilSettled, type StoreServer } from '../store/server.js';
import type { Stored } from './report.js';

interface Status {
  readonly bucket: { readonly pending_segments: number; readonly removed_segments: number };
  readonly cluster: { readonly state: string; readonly reason: string | null } | null;
  readonly projects: readonly { readonly project_id: string; readonly segments: number }[];
}

const pollMs = 500;
const waitMsMax = 600_000;

/** @throws Error that names what did not come */
export async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  for (const end = performance.now() + waitMsMax; !(await isSo()); await sleep(pollMs))
    if (performance.now() > end) throw new Error(`waited in vain: ${what}`);
}

export const statusOf = async (client: EvalstoreClient): Promise<Status> =>
  (await client.get('/status')) as Status;

/** Inserts the events, and waits until merges have ended and the bucket has every segment. */
export async function loadIntoBucket(server: StoreServer, dataset: Dataset): Promise<void> {
  const client = server.connectClient(bulkConnections);
  await insertInBulk(dataset, (body) =>
    client.post(`/v1/project_logs/${server.projectId}/insert`, body),
  );
  await client.close();
  await untilSettled(server.dataDirectory);
  await until('every segment is in the bucket', async () => {
    const { bucket } = await statusOf(server.client);
    return bucket.pending_segments === 0;
  });
}

const segmentFolder = /\/segments\//;
/** The service keeps the content of an object in a file of this ending. */
const contentEnding = '._S3rver_object';

/** The objects of the segments that the project has now. */
export async function storedOf(
  { client, projectId, dataDirectory }: StoreServer,
  bucketDirectory: string,
): Promise<Stored> {
  const { projects } = await statusOf(client);
  const folder = path.join(dataDirectory, 'segments', `project_id=${projectId}`);
  const live = new Set((await readdir(folder)).map((name) => name.split('.')[0]));
  const names = (await readdir(bucketDirectory, { recursive: true })).filter(
    (name) => segmentFolder.test(name) && name.endsWith(contentEnding),
  );
  const stored = { objects: 0, bytes: 0, narrowBytes: 0 };
  for (const name of names) {
    const [number, kind] = path.basename(name, contentEnding).split('.');
    if (!name.includes(projectId) || !live.has(number)) continue;
    const { size } = await stat(path.join(bucketDirectory, name));
    stored.objects += 1;
    stored.bytes += size;
    if (kind === 'narrow' || kind === 'ended') stored.narrowBytes += size;
  }
  const segments = projects.find(({ project_id: id }) => id === projectId)?.segments ?? 0;
  return { segments, ...stored };
}

const evicted = /\.(?:parquet|narrow|ended)$/;

/** Makes the server drop its files: each flush of another project begins an eviction. */
export async function evictAll({ client, dataDirectory }: StoreServer): Promise<void> {
  const { id: other } = (await client.post('/v1/project', '{"name":"other"}')) as { id: string };
  const segments = path.join(dataDirectory, 'segments');
  const isEvicted = async () =>
    (await readdir(segments, { recursive: true })).every(
      (name) => !evicted.test(name) || path.basename(name).startsWith('superseded'),
    );
  await until('all segments have left the disk', async () => {
    if (await isEvicted()) return true;
    await client.post(`/v1/project_logs/${other}/insert`, '{"events":[{}]}');
    await sleep(1500);
    return false;
  });
}
