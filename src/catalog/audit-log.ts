// The audit log. An entry is stored in the transaction of its change, so neither exists without the other.
import { randomUUID } from 'node:crypto';
import { emptySql, limitTo, sql, type Sql } from '../duckdb/sql.js';
import type { Row } from '../duckdb/rows.js';
import type { Writer } from '../duckdb/writer.js';
import { badRequest } from '../errors.js';
import type { auditActions } from '../schema/access.js';
import { maxBigint } from '../schema/xact-id.js';
import type { ObjectHeader } from './header.js';
import type { TableRow, TableWrite } from './table-rows.js';

/** The author of a change. */
export interface Actor {
  readonly userId: string;
  readonly keyId: string;
  readonly requestId: string;
}

export type AuditAction = (typeof auditActions)[number];

export interface AuditSelection {
  readonly orgIds: readonly string[];
  readonly ids: readonly string[] | null;
  readonly objectType: string | null;
  readonly objectId: string | null;
  readonly userId: string | null;
  readonly action: string | null;
  readonly startingAfter: string | null;
  readonly endingBefore: string | null;
  /** Null for all. */
  readonly limit: number | null;
}

/** The JSON text of an entry. */
const entryText = sql`json_object(
  'id', id, 'org_id', org_id, 'created', strftime(make_timestamp(created), '%Y-%m-%dT%H:%M:%S.%fZ'),
  'user_id', user_id, 'key_id', key_id, 'request_id', request_id, 'action', action,
  'object_type', object_type, 'object_id', object_id, 'object_name', object_name)::VARCHAR`;

export interface AuditRange {
  readonly orgIds: readonly string[];
  /** Null for all. */
  readonly ids: readonly string[] | null;
  /** Microseconds since 1970, inclusive; null for no bound. */
  readonly createdMin: bigint | null;
  readonly createdMax: bigint | null;
  readonly limit: number;
}

/** An entry with its position in the log, and its time in microseconds since 1970. */
export interface AuditEntry {
  readonly id: string;
  readonly place: bigint;
  readonly created: bigint;
  /** JSON text. */
  readonly body: string;
}

const toEntry = (row: Row): AuditEntry => ({
  id: row['id'] as string,
  place: row['place'] as bigint,
  created: row['created'] as bigint,
  body: row['body'] as string,
});

/** Entries between two places, both exclusive. */
interface PageRange {
  readonly after: bigint;
  readonly before: bigint;
  /** Null for all. */
  readonly limit: number | null;
}

const entriesPerPage = 1000;

const among = (column: Sql, values: readonly string[] | null): Sql =>
  values === null ? emptySql : sql`AND ${column} IN (SELECT unnest(${values}::VARCHAR[]))`;

const equal = (column: Sql, value: string | null): Sql =>
  value === null ? emptySql : sql`AND ${column} = ${value}`;

const insertEntries: TableWrite = {
  types: 'IVVIVVVVVVV',
  statement: (rows) => sql`
    INSERT INTO audit_entry (
      place, id, org_id, created, user_id, key_id, request_id, action, object_type, object_id, object_name)
    ${rows}`,
};

export class AuditLog {
  readonly #writer: Writer;
  #place: bigint;

  private constructor(writer: Writer, place: bigint) {
    this.#writer = writer;
    this.#place = place;
  }

  /** Requires the table. */
  static async open(writer: Writer): Promise<AuditLog> {
    const [row] = await writer.read(sql`SELECT max(place) AS last FROM audit_entry`);
    return new AuditLog(writer, (row?.['last'] as bigint | null) ?? 0n);
  }

  /** Returns the row of a change; `by` is null for a change by the server itself. */
  entry(header: ObjectHeader, action: AuditAction, by: Actor | null): TableRow {
    this.#place += 1n;
    const now = BigInt(Date.now()) * 1000n;
    return {
      write: insertEntries,
      values: [
        this.#place,
        randomUUID(),
        header.orgId,
        now,
        by?.userId ?? null,
        by?.keyId ?? null,
        by?.requestId ?? null,
        action,
        header.kind,
        header.id,
        header.name,
      ],
    };
  }

  /** @throws RequestError 400 if no entry of these organisations has the id */
  async #placeOf(parameter: string, id: string, orgIds: readonly string[]): Promise<bigint> {
    const rows = await this.#writer.read(
      sql`SELECT place FROM audit_entry WHERE id = ${id} ${among(sql`org_id`, orgIds)}`,
    );
    if (rows[0] === undefined) throw badRequest(`${parameter}: no entry has the id "${id}"`);
    return rows[0]['place'] as bigint;
  }

  /** Newest first. */
  async read({ orgIds, ids, createdMin, createdMax, limit }: AuditRange) {
    const filter = sql`${among(sql`org_id`, orgIds)} ${among(sql`id`, ids)}
      ${createdMin === null ? emptySql : sql`AND created >= ${createdMin}`}
      ${createdMax === null ? emptySql : sql`AND created <= ${createdMax}`}`;
    const found: AuditEntry[] = [];
    for await (const page of this.#pages(filter, { after: 0n, before: this.#end, limit }))
      found.push(...page);
    return found;
  }

  /**
   * Yields the entries in pages, newest first.
   * @throws RequestError 400 for a bad cursor
   */
  async list(selection: AuditSelection): Promise<AsyncIterable<readonly AuditEntry[]>> {
    const { orgIds, startingAfter, endingBefore, limit } = selection;
    if (startingAfter !== null && endingBefore !== null)
      throw badRequest('starting_after and ending_before cannot be given together');
    const filter = sql`${among(sql`org_id`, orgIds)} ${among(sql`id`, selection.ids)}
      ${equal(sql`object_type`, selection.objectType)} ${equal(sql`object_id`, selection.objectId)}
      ${equal(sql`user_id`, selection.userId)} ${equal(sql`action`, selection.action)}`;
    const before =
      startingAfter === null
        ? this.#end
        : await this.#placeOf('starting_after', startingAfter, orgIds);
    if (endingBefore === null) return this.#pages(filter, { after: 0n, before, limit });
    const after = await this.#placeOf('ending_before', endingBefore, orgIds);
    const end = limit === null ? before : await this.#endOf(filter, after, limit);
    return this.#pages(filter, { after, before: end, limit });
  }

  /** The place of the next entry. */
  get #end(): bigint {
    return this.#place + 1n;
  }

  /** The end of the first `limit` entries after a place. */
  async #endOf(filter: Sql, after: bigint, limit: number): Promise<bigint> {
    const [row] = await this.#writer.read(sql`
      SELECT max(place) AS last FROM (
        SELECT place FROM audit_entry WHERE place > ${after} ${filter} ORDER BY place ${limitTo(limit)})`);
    return ((row?.['last'] as bigint | null) ?? after) + 1n;
  }

  /** Reads one page at a time, so that a log of any size takes the memory of a page and leaves time for other requests. */
  async *#pages(filter: Sql, { after, before, limit }: PageRange) {
    let left = limit ?? Infinity;
    let end = before;
    let span = BigInt(entriesPerPage);
    while (left > 0 && end > after + 1n) {
      const size = Math.min(left, entriesPerPage);
      const start = maxBigint(after + 1n, end - span);
      const rows = await this.#writer.read(sql`
        SELECT id, place, created, ${entryText} AS body FROM audit_entry
        WHERE place >= ${start} AND place < ${end} ${filter} ORDER BY place DESC LIMIT ${BigInt(size)}`);
      const page = rows.map(toEntry);
      if (page.length > 0) yield page;
      const isFull = page.length === size;
      end = isFull ? page.at(-1)!.place : start;
      // Few entries pass the filter.
      if (!isFull) span *= 4n;
      left -= page.length;
    }
  }
}
