// The records of jobs that remove events. What a job removes is listed in a Parquet file of `jobs/`, which is on disk before its record, so
// that it goes on after a crash; the file goes when the job ends.
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Row } from '../duckdb/rows.js';
import { sql } from '../duckdb/sql.js';
import type { Writer } from '../duckdb/writer.js';
import type { JobKind, JobState, Removed } from '../schema/removal.js';
import type { Actor } from './audit-log.js';
import { statementsOf, type TableRow } from './table-rows.js';

/** A job that begins. */
export interface NewJob extends Removed {
  readonly id: string;
  readonly kind: JobKind;
  readonly projectId: string;
  /** The object whose events go; for logs and retention, the project. */
  readonly objectId: string;
  /** Null for the server itself. */
  readonly by: Actor | null;
}

export interface JobRecord extends NewJob {
  readonly state: JobState;
  /** Milliseconds since 1970. */
  readonly started: number;
  readonly finished: number | null;
  readonly error: string | null;
}

export interface JobEnd extends Removed {
  readonly id: string;
  /** Null if it is done. */
  readonly error: string | null;
}

/** Ended jobs are kept for this time, and at most so many. */
const keptMs = 30 * 24 * 3_600_000;
const keptCount = 1_000;

function toRecord(row: Row): JobRecord {
  const text = (name: string) => row[name] as string;
  const [userId, keyId, requestId] = [text('user_id'), text('key_id'), text('request_id')];
  return {
    id: text('id'),
    kind: text('kind') as JobKind,
    projectId: text('project_id'),
    objectId: text('object_id'),
    state: text('state') as JobState,
    rows: Number(row['row_count']),
    bytes: Number(row['byte_count']),
    started: Number(row['started']),
    finished: row['finished'] === null ? null : Number(row['finished']),
    error: row['error'] as string | null,
    by: userId === null ? null : { userId, keyId, requestId },
  };
}

export class JobRecords {
  readonly #writer: Writer;
  readonly #directory: string;

  private constructor(writer: Writer) {
    this.#writer = writer;
    this.#directory = path.resolve(writer.directory, 'jobs');
  }

  /** Requires the table, which opening the catalog creates. Removes the files that no running job has. */
  static async open(writer: Writer): Promise<JobRecords> {
    const records = new JobRecords(writer);
    await mkdir(records.#directory, { recursive: true, mode: 0o700 });
    const used = new Set((await records.running()).map(({ id }) => records.fileOf(id)));
    for (const name of await readdir(records.#directory)) {
      const file = path.join(records.#directory, name);
      if (!used.has(file)) await rm(file, { recursive: true, force: true });
    }
    return records;
  }

  /** The file with the columns object_id and id: the events that a job removes. */
  fileOf(id: string): string {
    return path.join(this.#directory, `${id}.parquet`);
  }

  async hasFile(id: string): Promise<boolean> {
    return (await stat(this.fileOf(id)).catch(() => null)) !== null;
  }

  /** The file of a new job. The caller removes it unless the job begins. */
  newFile(): { readonly id: string; readonly file: string; readonly remove: () => Promise<void> } {
    const id = randomUUID();
    const file = this.fileOf(id);
    return { id, file, remove: () => rm(file, { force: true }) };
  }

  async begin({ id, kind, projectId, objectId, rows, bytes, by }: NewJob): Promise<void> {
    await this.#writer.transaction((connection) =>
      connection.run(sql`
        INSERT INTO job (
          id, kind, project_id, object_id, state, row_count, byte_count, started, user_id, key_id, request_id)
        VALUES (${id}, ${kind}, ${projectId}, ${objectId}, 'running', ${BigInt(rows)}, ${BigInt(bytes)},
          ${BigInt(Date.now())}, ${by?.userId ?? null}, ${by?.keyId ?? null}, ${by?.requestId ?? null})`),
    );
  }

  /** Oldest first. */
  async running(): Promise<readonly JobRecord[]> {
    const rows = await this.#writer.read(
      sql`SELECT * FROM job WHERE state = 'running' ORDER BY started, id`,
    );
    return rows.map(toRecord);
  }

  async find(id: string): Promise<JobRecord | undefined> {
    const [row] = await this.#writer.read(sql`SELECT * FROM job WHERE id = ${id}`);
    return row && toRecord(row);
  }

  /**
   * Records the end of a job, forgets old ones, and removes its file.
   * @param also rows of the same transaction
   */
  async end({ id, rows, bytes, error }: JobEnd, also: readonly TableRow[] = []): Promise<void> {
    const now = Date.now();
    await this.#writer.transaction(async (connection) => {
      await connection.run(sql`
        UPDATE job SET state = ${error === null ? 'done' : 'failed'}, error = ${error},
          row_count = ${BigInt(rows)}, byte_count = ${BigInt(bytes)}, finished = ${BigInt(now)}
        WHERE id = ${id}`);
      for (const statement of statementsOf(also)) await connection.run(statement);
      await connection.run(sql`
        DELETE FROM job WHERE finished < ${BigInt(now - keptMs)} OR id IN (
          SELECT id FROM job WHERE finished IS NOT NULL ORDER BY finished DESC OFFSET ${BigInt(keptCount)})`);
    });
    await rm(this.fileOf(id), { force: true });
  }
}
