// The audit log. An entry is stored in the transaction of its change, so neither exists without the other.
import { randomUUID } from 'node:crypto';
import { emptySql, limitTo, sql, type Sql } from '../duckdb/sql.js';
import type { Row } from '../duckdb/rows.js';
import type { Writer } from '../duckdb/writer.js';
import { badRequest } from '../errors.js';
import type { ObjectHeader } from './header.js';
import { formatMicros } from './object-fields.js';

/** The author of a change. */
export interface Actor {
  readonly userId: string;
  readonly keyId: string;
  readonly requestId: string;
}

export type AuditAction = 'create' | 'update' | 'delete';

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

/** The JSON of the entry. */
const entryOf = (row: Row) => ({
  id: row['id'],
  org_id: row['org_id'],
  created: formatMicros(row['created'] as bigint),
  user_id: row['user_id'],
  key_id: row['key_id'],
  request_id: row['request_id'],
  action: row['action'],
  object_type: row['object_type'],
  object_id: row['object_id'],
  object_name: row['object_name'],
});

export type AuditEntry = ReturnType<typeof entryOf>;

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
export interface PositionedEntry {
  readonly place: bigint;
  readonly createdMicros: bigint;
  readonly entry: AuditEntry;
}

const among = (column: Sql, values: readonly string[] | null): Sql =>
  values === null ? emptySql : sql`AND ${column} IN (SELECT unnest(${values}::VARCHAR[]))`;

const equal = (column: Sql, value: string | null): Sql =>
  value === null ? emptySql : sql`AND ${column} = ${value}`;

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

  /** Returns the statement that stores the entry of a change; `by` is null for a change by the server itself. */
  entry(header: ObjectHeader, action: AuditAction, by: Actor | null): Sql {
    this.#place += 1n;
    const now = BigInt(Date.now()) * 1000n;
    return sql`
      INSERT INTO audit_entry (
        place, id, org_id, created, user_id, key_id, request_id, action, object_type, object_id, object_name)
      VALUES (
        ${this.#place}, ${randomUUID()}, ${header.orgId}, ${now}, ${by?.userId ?? null}, ${by?.keyId ?? null},
        ${by?.requestId ?? null}, ${action}, ${header.kind}, ${header.id}, ${header.name})`;
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
  async read({
    orgIds,
    ids,
    createdMin,
    createdMax,
    limit,
  }: AuditRange): Promise<readonly PositionedEntry[]> {
    const rows = await this.#writer.read(sql`
      SELECT * FROM audit_entry
      WHERE true ${among(sql`org_id`, orgIds)} ${among(sql`id`, ids)}
        ${createdMin === null ? emptySql : sql`AND created >= ${createdMin}`}
        ${createdMax === null ? emptySql : sql`AND created <= ${createdMax}`}
      ORDER BY place DESC LIMIT ${BigInt(limit)}`);
    return rows.map((row) => ({
      place: row['place'] as bigint,
      createdMicros: row['created'] as bigint,
      entry: entryOf(row),
    }));
  }

  /**
   * Newest first.
   * @throws RequestError 400 for a bad cursor
   */
  async list(selection: AuditSelection): Promise<readonly AuditEntry[]> {
    const { orgIds, startingAfter, endingBefore, limit } = selection;
    if (startingAfter !== null && endingBefore !== null)
      throw badRequest('starting_after and ending_before cannot be given together');
    const isBackwards = endingBefore !== null;
    const cursor = isBackwards
      ? sql`AND place > ${await this.#placeOf('ending_before', endingBefore, orgIds)}`
      : startingAfter === null
        ? emptySql
        : sql`AND place < ${await this.#placeOf('starting_after', startingAfter, orgIds)}`;
    const rows = await this.#writer.read(sql`
      SELECT * FROM audit_entry
      WHERE true ${among(sql`org_id`, orgIds)} ${among(sql`id`, selection.ids)}
        ${equal(sql`object_type`, selection.objectType)} ${equal(sql`object_id`, selection.objectId)}
        ${equal(sql`user_id`, selection.userId)} ${equal(sql`action`, selection.action)} ${cursor}
      ORDER BY place ${isBackwards ? sql`ASC` : sql`DESC`}
      ${limitTo(limit)}`);
    return (isBackwards ? rows.toReversed() : rows).map(entryOf);
  }
}
