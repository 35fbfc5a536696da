// Attachments: what clients said of the files that they upload, and which of them events refer to. An attachment is complete when
// its content is on disk; a complete one is never changed. One that an event ever named stays: earlier versions show the event.
import { randomUUID } from 'node:crypto';
import { sql } from '../duckdb/sql.js';
import type { Row } from '../duckdb/rows.js';
import type { Writer } from '../duckdb/writer.js';

export interface AttachmentName {
  readonly orgId: string;
  /** The client's, unique in its organisation. */
  readonly key: string;
}

/** `dropped`: its file is about to be removed. */
type Status = 'uploading' | 'done' | 'error' | 'dropped';

export interface AttachmentRecord extends AttachmentName {
  readonly filename: string;
  readonly contentType: string;
  readonly status: Status;
  /** What the client says went wrong. */
  readonly error: string | null;
  /** Name of the file of its content. */
  readonly file: string;
  /** Null until the content is complete. */
  readonly bytes: number | null;
}

export interface DropLimits {
  /** Milliseconds since 1970: uploads that began before and are not complete are dropped. */
  readonly begunBefore: number;
  /** Complete ones that began before and that no event ever named are dropped. */
  readonly unnamedBefore: number;
}

const toRecord = (row: Row): AttachmentRecord => ({
  orgId: row['org_id'] as string,
  key: row['key'] as string,
  filename: row['filename'] as string,
  contentType: row['content_type'] as string,
  status: row['status'] as Status,
  error: row['error'] as string | null,
  file: row['file'] as string,
  bytes: row['bytes'] === null ? null : Number(row['bytes']),
});

export class AttachmentRecords {
  readonly #writer: Writer;

  /** Call after the catalog was opened, which makes the tables. */
  constructor(writer: Writer) {
    this.#writer = writer;
  }

  async find({ orgId, key }: AttachmentName): Promise<AttachmentRecord | undefined> {
    const [row] = await this.#writer.read(
      sql`SELECT * FROM attachment WHERE org_id = ${orgId} AND key = ${key}`,
    );
    return row === undefined ? undefined : toRecord(row);
  }

  /**
   * A new upload, or the one of the same name that is not complete, under what is said of it now.
   * @returns undefined when there is one that is complete, or about to be removed
   */
  async begin(
    { orgId, key }: AttachmentName,
    { filename, contentType }: Pick<AttachmentRecord, 'filename' | 'contentType'>,
    nowMs: number,
  ): Promise<AttachmentRecord | undefined> {
    await this.#writer.transaction((connection) =>
      connection.run(sql`
        INSERT INTO attachment (org_id, key, filename, content_type, begun, status, file)
        VALUES (${orgId}, ${key}, ${filename}, ${contentType}, ${BigInt(nowMs)}, 'uploading', ${randomUUID()})
        ON CONFLICT DO UPDATE SET filename = EXCLUDED.filename, content_type = EXCLUDED.content_type,
          begun = EXCLUDED.begun, status = 'uploading', error = NULL
        WHERE bytes IS NULL AND status <> 'dropped'`),
    );
    const record = await this.find({ orgId, key });
    return record?.bytes === null && record.status === 'uploading' ? record : undefined;
  }

  /** To be called when the content is on disk. False when the attachment was dropped or completed meanwhile. */
  async complete(file: string, bytes: number): Promise<boolean> {
    const rows = await this.#writer.transaction((connection) =>
      connection.read(sql`
        UPDATE attachment SET status = 'done', error = NULL, bytes = ${BigInt(bytes)}
        WHERE file = ${file} AND bytes IS NULL AND status <> 'dropped' RETURNING 1`),
    );
    return rows.length > 0;
  }

  /** What the client says of its upload. */
  async report(
    { orgId, key }: AttachmentName,
    status: 'done' | 'error',
    error: string | null,
  ): Promise<void> {
    await this.#writer.transaction((connection) =>
      connection.run(sql`
        UPDATE attachment SET status = ${status}, error = ${error}
        WHERE org_id = ${orgId} AND key = ${key} AND status <> 'dropped'`),
    );
  }

  /** Records that events name these keys, whether they are uploaded already or not. */
  async refer(names: readonly AttachmentName[]): Promise<void> {
    const [orgIds, keys] = [names.map(({ orgId }) => orgId), names.map(({ key }) => key)];
    await this.#writer.transaction((connection) =>
      connection.run(sql`
        INSERT INTO attachment_reference
        SELECT DISTINCT unnest(${orgIds}::VARCHAR[]), unnest(${keys}::VARCHAR[])
        ON CONFLICT DO NOTHING`),
    );
  }

  /** @returns the files of all dropped attachments; `forget` is to be called once they are removed */
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
