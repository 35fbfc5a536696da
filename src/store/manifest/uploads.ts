// What the manifest knows of the bucket: which segments are in it, and who may write to it.
import { randomUUID } from 'node:crypto';
import { hasTable } from '../../duckdb/has-table.js';
import { sql } from '../../duckdb/sql.js';
import type { WriteConnection, Writer } from '../../duckdb/writer.js';
import type { SegmentName } from '../segment/segment-files.js';

export interface BucketOwner {
  /** Stays the same in copies and in backups of the store. */
  readonly storeId: string;
  /** The last process that wrote to the bucket; null if that is not known. */
  readonly instanceId: string | null;
}

/** The numbers of the segments whose files are all in the bucket. */
export async function readUploaded(
  connection: Pick<WriteConnection, 'read'>,
): Promise<readonly number[]> {
  // A directory of an older release.
  if (!(await hasTable(connection, 'bucket_owner'))) return [];
  const rows = await connection.read(sql`SELECT source FROM segment WHERE uploaded`);
  return rows.map(({ source }) => source as number);
}

/** Does nothing if the segment was dropped meanwhile. */
export const setUploaded = (writer: Writer, { source }: SegmentName): Promise<void> =>
  writer.transaction((connection) =>
    connection.run(sql`UPDATE segment SET uploaded = TRUE WHERE source = ${BigInt(source)}`),
  );

/** Called when others may have changed the bucket: nothing counts as uploaded, and `unlisted` are to be removed from it. */
export const distrustUploads = (writer: Writer, unlisted: readonly SegmentName[]): Promise<void> =>
  writer.transaction(async (connection) => {
    await connection.run(sql`UPDATE segment SET uploaded = NULL WHERE uploaded`);
    for (const { source, projectId } of unlisted)
      await connection.run(
        sql`INSERT INTO dropped_segment VALUES (${BigInt(source)}, ${projectId})`,
      );
  });

/** The owner; a store that never had a bucket gets an id. */
export async function readOwner(writer: Writer): Promise<BucketOwner> {
  const [row] = await writer.read(sql`SELECT store_id, instance_id FROM bucket_owner`);
  if (row !== undefined)
    return {
      storeId: row['store_id'] as string,
      instanceId: row['instance_id'] as string | null,
    };
  const storeId = randomUUID();
  await writer.transaction((connection) =>
    connection.run(sql`INSERT INTO bucket_owner VALUES (${storeId}, NULL)`),
  );
  return { storeId, instanceId: null };
}

/** @param instanceId null by a start without a bucket, which leaves objects there that it drops */
export async function setInstance(writer: Writer, instanceId: string | null): Promise<void> {
  const [row] = await writer.read(
    sql`SELECT 1 AS found FROM bucket_owner WHERE instance_id IS DISTINCT FROM ${instanceId}::VARCHAR`,
  );
  if (row === undefined) return;
  await writer.transaction((connection) =>
    connection.run(sql`UPDATE bucket_owner SET instance_id = ${instanceId}::VARCHAR`),
  );
}
