// Reads and writes whole rows. Values are JSON text, so that digits survive.
import { objectText, plainText, type RawRow } from '../json/scan.js';
import { batchesOf, rowLength } from './batches.js';
import { keyFieldOf, listed, sourceText, textOf, type Source } from './clauses.js';
import { rawRowsOf, type QueryOptions } from './query.js';
import { readJson, send } from './request.js';
import { sessionSignal } from './session.js';

const pathOf = ({ kind, id }: Source, operation: string): string =>
  `/v1/${kind}/${encodeURIComponent(id)}/${operation}`;

/** Inserts rows in one transaction. */
export async function insertRows(source: Source, rows: readonly RawRow[]): Promise<void> {
  const text = `{"events":[${rows.map(objectText).join(',')}]}`;
  await send(pathOf(source, 'insert'), { method: 'POST', text });
}

/**
 * Inserts any number of rows in one transaction per batch.
 * @param session ends it between two batches
 * @param stored gets the number of rows that are stored
 */
export async function insertInBatches(
  source: Source,
  rows: readonly RawRow[],
  session: AbortSignal,
  stored: (count: number) => void = () => {},
): Promise<void> {
  let count = 0;
  for (const batch of batchesOf(rows, rowLength)) {
    session.throwIfAborted();
    await insertRows(source, batch);
    count += batch.length;
    stored(count);
  }
}

async function rowsWith(
  source: Source,
  select: string,
  field: 'id' | 'root_span_id',
  ids: readonly string[],
  options: QueryOptions = {},
): Promise<readonly RawRow[]> {
  const pages = await Promise.all(
    batchesOf(ids, (id) => id.length).map((batch) =>
      rawRowsOf(
        textOf({
          select,
          from: sourceText(source),
          filter: `${field} in ${listed(batch)}`,
          preview_length: '-1',
        }),
        options,
      ),
    ),
  );
  return pages.flatMap(({ rows }) => rows);
}

export const idOf = (row: RawRow): string => plainText(row.get('id') ?? '""');

/** Reads the rows with these ids, in order. */
export async function rowsById(
  source: Source,
  select: string,
  ids: readonly string[],
  options: QueryOptions = {},
): Promise<readonly RawRow[]> {
  const rows = await rowsWith(source, select, 'id', ids, options);
  const byId = new Map(rows.map((row) => [idOf(row), row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** A new UUID. Unlike `crypto.randomUUID`, this also works without TLS. */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const digits = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

const deletion = (row: RawRow): RawRow =>
  new Map([
    ['id', row.get('id')!],
    ['_object_delete', 'true'],
  ]);

/** Deletes records of a dataset, or traces with all of their spans. */
export async function deleteRows(source: Source, keys: readonly string[]): Promise<void> {
  const session = sessionSignal();
  const rows = await rowsWith(source, 'id', keyFieldOf(source), keys);
  await insertInBatches(source, rows.map(deletion), session);
}

export interface Comment {
  readonly id: string;
  readonly created: string;
  readonly user_id: string | null;
  readonly comment: string;
}

export const commentsOf = (source: Source, id: string, signal: AbortSignal) =>
  readJson<{ comments: readonly Comment[] }>(
    `${pathOf(source, 'feedback')}?event_id=${encodeURIComponent(id)}`,
    { signal },
  );

export interface Feedback {
  readonly id: string;
  readonly scores?: Readonly<Record<string, number>>;
  readonly comment?: string;
  readonly tags?: readonly string[];
}

/** @param score JSON text */
export async function giveScore(
  source: Source,
  id: string,
  name: string,
  score: string,
): Promise<void> {
  const scores = `{${JSON.stringify(name)}:${score}}`;
  const text = `{"feedback":[{"source":"app","id":${JSON.stringify(id)},"scores":${scores}}]}`;
  await send(pathOf(source, 'feedback'), { method: 'POST', text });
}

export async function giveFeedback(source: Source, items: readonly Feedback[]): Promise<void> {
  const session = sessionSignal();
  for (const batch of batchesOf(items, (item) => JSON.stringify(item).length)) {
    session.throwIfAborted();
    const feedback = batch.map((item) => Object.assign({ source: 'app' }, item));
    await send(pathOf(source, 'feedback'), { method: 'POST', body: { feedback } });
  }
}
