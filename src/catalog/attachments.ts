// The records of attachments, and the references of events to them. An attachment is complete when its content is on disk,
// and never changes afterwards. An attachment that an event ever named stays until all such events are removed for good, since
// earlier versions show them.
import { randomUUID } from 'node:crypto';
import type { Connection } from '../duckdb/connection.js';
import { hasTable } from '../duckdb/has-table.js';
import { readParquet } from '../duckdb/parquet.js';
import { sql } from '../duckdb/sql.js';
import type { Row } from '../duckdb/rows.js';
import type { Writer } from '../duckdb/writer.js';
import type { EventObjectKind } from '../schema/event-row.js';

export interface AttachmentName {
  readonly orgId: string;
  /** The key that the client chose, unique in its organisation. */
  readonly key: string;
}

/** An object whose events name an attachment. */
export interface AttachmentObject {
  readonly kind: EventObjectKind;
  readonly id: string;
}

/** An event that names an attachment. */
export interface NamingEvent {
  /** Of the feedback object, for feedback. */
  readonly objectId: string;
  readonly eventId: string;
}

export interface AttachmentReference extends AttachmentName, NamingEvent {
  /** Null if the reference grants no right to the attachment. */
  readonly object: AttachmentObject | null;
  /** The reference grants a right if this user announced the attachment, before or later; null if it grants none. */
  readonly announcerId: string | null;
}

/** `dropped`: its file is about to be removed. */
type Status = 'uploading' | 'done' | 'error' | 'dropped';

export interface AttachmentRecord extends AttachmentName {
  readonly filename: string;
  readonly contentType: string;
  /** The user who announced it. */
  readonly userId: string;
  readonly status: Status;
  /** The error that the client reported. */
  readonly error: string | null;
  /** The name of the file with its content. */
  readonly file: string;
  /** Null until the content is complete. */
  readonly bytes: number | null;
}

export interface AnnouncedName extends AttachmentName {
  /** The user who announced the attachment. */
  readonly userId: string;
}

export interface DropLimits {
  /** Incomplete uploads that began before this time, in milliseconds since 1970, are dropped. */
  readonly begunBefore: number;
  /** Complete attachments that began before this time and that no event named are dropped. */
  readonly unnamedBefore: number;
}

const toRecord = (row: Row): AttachmentRecord => ({
  orgId: row['org_id'] as string,
  key: row['key'] as string,
  filename: row['filename'] as string,
  contentType: row['content_type'] as string,
  userId: row['user_id'] as string,
  status: row['status'] as Status,
  error: row['error'] as string | null,
  file: row['file'] as string,
  bytes: row['bytes'] === null ? null : Number(row['bytes']),
});

const unnested = (names: readonly AttachmentName[]) => {
  const [orgIds, keys] = [names.map(({ orgId }) => orgId), names.map(({ key }) => key)];
  return sql`unnest(${orgIds}::VARCHAR[]) AS org_id, unnest(${keys}::VARCHAR[]) AS key`;
};

const announcers = (announced: readonly AnnouncedName[]) =>
  sql`${unnested(announced)}, unnest(${announced.map(({ userId }) => userId)}::VARCHAR[]) AS announcer_id`;

export type CompleteFile = Pick<AttachmentRecord, 'file'> & { readonly bytes: number };

/** The files of the complete attachments; none in a directory without the table, after an interrupted first start. */
export async function completeFiles(
  connection: Pick<Connection, 'read'>,
): Promise<readonly CompleteFile[]> {
  if (!(await hasTable(connection, 'attachment'))) return [];
  const rows = await connection.read(sql`
    SELECT file, bytes FROM attachment WHERE bytes IS NOT NULL AND status <> 'dropped' ORDER BY file`);
  return rows.map(({ file, bytes }) => ({ file: String(file), bytes: Number(bytes) }));
}

export class AttachmentRecords {
  readonly #writer: Writer;

  /** Requires the tables, which opening the catalog creates. */
  constructor(writer: Writer) {
    this.#writer = writer;
  }

  async find(name: AttachmentName): Promise<AttachmentRecord | undefined> {
    return (await this.findAll([name]))[0];
  }

  /** Returns the existing ones. */
  async findAll(names: readonly AttachmentName[]): Promise<readonly AttachmentRecord[]> {
    const rows = await this.#writer.read(sql`
      SELECT * FROM attachment SEMI JOIN (SELECT ${unnested(names)}) wanted USING (org_id, key)`);
    return rows.map(toRecord);
  }

  /** Returns the objects that grant a right to one of these attachments. */
  async objectsOf(announced: readonly AnnouncedName[]): Promise<readonly AttachmentObject[]> {
    const rows = await this.#writer.read(sql`
      SELECT DISTINCT kind, object_id FROM attachment_object
      SEMI JOIN (SELECT ${announcers(announced)}) wanted USING (org_id, key, announcer_id)`);
    return rows.map((row) => ({
      kind: row['kind'] as EventObjectKind,
      id: row['object_id'] as string,
    }));
  }

  /** Returns those of the attachments to which one of these objects grants a right. */
  async grantedBy(
    objects: readonly AttachmentObject[],
    announced: readonly AnnouncedName[],
  ): Promise<readonly AttachmentName[]> {
    const [kinds, ids] = [objects.map(({ kind }) => kind), objects.map(({ id }) => id)];
    const rows = await this.#writer.read(sql`
      SELECT DISTINCT org_id, key FROM attachment_object
      SEMI JOIN (SELECT ${announcers(announced)}) wanted USING (org_id, key, announcer_id)
      SEMI JOIN (SELECT unnest(${kinds}::VARCHAR[]) AS kind, unnest(${ids}::VARCHAR[]) AS object_id) granting
        USING (kind, object_id)`);
    return rows.map(({ org_id, key }) => ({ orgId: org_id as string, key: key as string }));
  }

  /**
   * Records a new upload, or updates the user's incomplete one with the same key. Returns undefined if the existing one is
   * complete, about to be removed, or another user's.
   */
  async begin(
    { orgId, key }: AttachmentName,
    {
      filename,
      contentType,
      userId,
    }: Pick<AttachmentRecord, 'filename' | 'contentType'> & { readonly userId: string },
    nowMs: number,
  ): Promise<AttachmentRecord | undefined> {
    await this.#writer.transaction((connection) =>
      connection.run(sql`
        INSERT INTO attachment (org_id, key, filename, content_type, begun, status, file, user_id)
        VALUES (${orgId}, ${key}, ${filename}, ${contentType}, ${BigInt(nowMs)}, 'uploading', ${randomUUID()}, ${userId})
        ON CONFLICT DO UPDATE SET filename = EXCLUDED.filename, content_type = EXCLUDED.content_type,
          begun = EXCLUDED.begun, status = 'uploading', error = NULL
        WHERE bytes IS NULL AND status <> 'dropped' AND user_id = ${userId}`),
    );
    const record = await this.find({ orgId, key });
    const isBegun = record?.bytes === null && record.status === 'uploading';
    return isBegun && record.userId === userId ? record : undefined;
  }

  /** Marks the attachment complete once its content is on disk. Returns false if it was dropped or completed meanwhile. */
  async complete(file: string, bytes: number): Promise<boolean> {
    const rows = await this.#writer.transaction((connection) =>
      connection.read(sql`
        UPDATE attachment SET status = 'done', error = NULL, bytes = ${BigInt(bytes)}
        WHERE file = ${file} AND bytes IS NULL AND status <> 'dropped' RETURNING 1`),
    );
    return rows.length > 0;
  }

  /** Records the result that the client reports. A complete attachment is done, also if its client did not get the answer. */
  async report(
    { orgId, key }: AttachmentName,
    status: 'done' | 'error',
    error: string | null,
  ): Promise<void> {
    await this.#writer.transaction((connection) =>
      connection.run(sql`
        UPDATE attachment SET status = CASE WHEN bytes IS NULL THEN ${status} ELSE 'done' END,
          error = CASE WHEN bytes IS NULL THEN ${error} END
        WHERE org_id = ${orgId} AND key = ${key} AND status <> 'dropped'`),
    );
  }

  /** Records that events name these keys, uploaded or not. */
  async refer(references: readonly AttachmentReference[]): Promise<void> {
    const giving = references.flatMap(({ object, announcerId, ...name }) =>
      object === null || announcerId === null ? [] : [{ ...name, object, announcerId }],
    );
    await this.#writer.transaction(async (connection) => {
      await connection.run(sql`
        INSERT INTO attachment_reference SELECT DISTINCT ${unnested(references)}
        ON CONFLICT DO NOTHING`);
      const [objectIds, eventIds] = [
        references.map(({ objectId }) => objectId),
        references.map(({ eventId }) => eventId),
      ];
      await connection.run(sql`
        INSERT INTO attachment_event SELECT ${unnested(references)},
          unnest(${objectIds}::VARCHAR[]), unnest(${eventIds}::VARCHAR[])`);
      if (giving.length === 0) return;
      const lists = {
        kinds: giving.map(({ object }) => object.kind),
        ids: giving.map(({ object }) => object.id),
        announcers: giving.map(({ announcerId }) => announcerId),
      };
      await connection.run(sql`
        INSERT INTO attachment_object (org_id, key, kind, object_id, announcer_id)
        SELECT DISTINCT ${unnested(giving)}, unnest(${lists.kinds}::VARCHAR[]),
          unnest(${lists.ids}::VARCHAR[]), unnest(${lists.announcers}::VARCHAR[])
        ON CONFLICT DO NOTHING`);
    });
  }

  /**
   * Forgets that these events named attachments, and drops those that no other event names.
   * @param events a Parquet file with the columns object_id and id
   */
  async release(events: string): Promise<void> {
    await this.#writer.transaction(async (connection) => {
      const released = await connection.read(sql`
        DELETE FROM attachment_event USING ${readParquet(events)} removed
        WHERE attachment_event.object_id = removed.object_id AND event_id = removed.id
        RETURNING org_id, key`);
      if (released.length === 0) return;
      const names = released.map(({ org_id, key }) => ({
        orgId: org_id as string,
        key: key as string,
      }));
      const unnamed = sql`(SELECT DISTINCT ${unnested(names)}
        EXCEPT SELECT org_id, key FROM attachment_event)`;
      await connection.run(sql`
        UPDATE attachment SET status = 'dropped' WHERE (org_id, key) IN ${unnamed}`);
      await connection.run(sql`
        DELETE FROM attachment_object WHERE (org_id, key) IN ${unnamed}`);
      await connection.run(sql`
        DELETE FROM attachment_reference WHERE (org_id, key) IN ${unnamed}`);
    });
  }

  /** Returns the files of all dropped attachments. Call `forget` once they are removed. */
  async drop({ begunBefore, unnamedBefore }: DropLimits): Promise<readonly string[]> {
    return this.#writer.transaction(async (connection) => {
      await connection.run(sql`
        UPDATE attachment SET status = 'dropped'
        WHERE (bytes IS NULL AND begun < ${BigInt(begunBefore)})
          OR (begun < ${BigInt(unnamedBefore)} AND NOT EXISTS (
            SELECT 1 FROM attachment_reference r
            WHERE r.org_id = attachment.org_id AND r.key = attachment.key))`);
      const rows = await connection.read(
        sql`SELECT file FROM attachment WHERE status = 'dropped' ORDER BY file`,
      );
      return rows.map(({ file }) => file as string);
    });
  }

  async forget(files: readonly string[]): Promise<void> {
    if (files.length === 0) return;
    await this.#writer.transaction((connection) =>
      connection.run(sql`
        DELETE FROM attachment
        WHERE status = 'dropped' AND file IN (SELECT unnest(${files}::VARCHAR[]))`),
    );
  }
}
