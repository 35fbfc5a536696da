// Answers fetches of whole rows without a statement, and writes rows of such reads as text, for queries, too.
import { ColumnKinds, rowWriter } from '../../json/result-row.js';
import type { PagePosition, PageVersion } from '../../query/cursor/page-cursor.js';
import { fetchedColumns } from '../../query/page/event-json.js';
import { isStorable, type StoredColumn } from '../../query/page/stored-values.js';
import { newestMax } from '../../query/point-lookup.js';
import type { EventObject, EventObjectKind, EventRow } from '../../schema/event-row.js';
import type { FetchRequest } from '../../schema/request.js';
import {
  inMemory,
  type FoundRows,
  type TextResult,
  type WantedRows,
} from '../../store/event-store.js';
import { clientOf, type Caller, type Services } from '../context.js';

/** Sorts rows in the page order. */
export const inPageOrder = (rows: readonly EventRow[]): readonly EventRow[] =>
  rows.toSorted(
    (a, b) =>
      Number(b._xact_id - a._xact_id) ||
      compareBytes(b.root_span_id, a.root_span_id) ||
      b._position - a._position,
  );

const compareBytes = (a: string, b: string): number =>
  a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));

export function textOfRows(
  columns: readonly StoredColumn[],
  rows: readonly EventRow[],
  separator: string,
): TextResult {
  const write = rowWriter(columns);
  const written = rows.map((row) => write((column) => columns[column]!.valueOf(row)));
  const kinds = new ColumnKinds(columns.length);
  for (const row of written) kinds.add(row.kinds);
  const last = rows.at(-1);
  return {
    text: inMemory(Buffer.from(written.map(({ text }) => text).join(separator))),
    rowCount: rows.length,
    kinds: kinds.ofColumns,
    place: last === undefined ? null : placeOf(last),
  };
}

const placeOf = ({ root_span_id: trace, _xact_id: xactId, _position: position }: EventRow) =>
  JSON.stringify([trace, String(xactId), String(position)]);

/** The id or the trace that is the only filter of a fetch; null for any other fetch. */
function wantedBy({ filters, limit }: FetchRequest): WantedRows | null {
  const [filter, ...others] = filters ?? [];
  if (filter === undefined || others.length > 0 || limit === 0) return null;
  const [by, ...steps] = filter.path;
  if ((by !== 'id' && by !== 'root_span_id') || steps.length > 0) return null;
  return isStorable(filter.value) ? { by, values: [filter.value] } : null;
}

/** The rows of a fetch, and the position at which the next page begins; null if only a statement can find them. */
async function findRows(
  { store }: Services,
  objectId: string,
  request: FetchRequest,
  client: string,
  signal: AbortSignal,
): Promise<{ readonly found: FoundRows; readonly next: PagePosition | null } | null> {
  const wanted = wantedBy(request);
  if (wanted !== null) {
    const found = await store.find(objectId, wanted, client, signal);
    return found && { found: { ...found, rows: inPageOrder(found.rows) }, next: null };
  }
  const { filters, limit } = request;
  if ((filters ?? []).length > 0 || !limit || limit > newestMax) return null;
  const found = await store.newest(objectId, { unit: 'traces', count: limit }, client, signal);
  const last = found?.rows.at(-1);
  return found && { found, next: found.hasMore && last !== undefined ? positionOf(last) : null };
}

const positionOf = (row: EventRow): PagePosition => ({
  xactId: row._xact_id,
  rootSpanId: row.root_span_id,
  position: row._position,
});

export interface FirstPage {
  readonly kind: EventObjectKind;
  readonly object: EventObject;
  readonly request: FetchRequest;
  /** Encodes a position in the rows at a version. */
  readonly cursorOf: (next: PagePosition, pageVersion: PageVersion) => string;
  readonly signal: AbortSignal;
}

/** The body of a fetch of the first page of the latest rows; null if only a statement can find them. */
export async function fetchedFromRows(
  services: Services,
  caller: Caller,
  { kind, object, request, cursorOf, signal }: FirstPage,
): Promise<{ readonly found: FoundRows; readonly body: Buffer } | null> {
  const read = await findRows(services, object.id, request, clientOf(caller), signal);
  if (read === null) return null;
  const { found, next } = read;
  const { text } = textOfRows(fetchedColumns(kind), found.rows, ',');
  const events = Buffer.from(text.inMemory ?? []);
  const cursor = next === null ? null : cursorOf(next, { version: found.version });
  const end = Buffer.from(`],"cursor":${JSON.stringify(cursor)}}`);
  return { found, body: Buffer.concat([Buffer.from('{"events":['), events, end]) };
}
