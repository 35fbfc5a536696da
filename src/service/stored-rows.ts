// Writes stored rows, from point reads, as the text of an answer.
import { rowWriter } from '../json/result-row.js';
import { fetchedColumns } from '../query/page/event-json.js';
import { isStorable, type StoredColumn } from '../query/page/stored-values.js';
import type { EventObject, EventObjectKind, EventRow } from '../schema/event-row.js';
import type { FetchRequest } from '../schema/request.js';
import {
  inMemory,
  type FoundRows,
  type TextResult,
  type WantedRows,
} from '../store/event-store.js';
import { clientOf, type Caller, type Services } from './context.js';

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
  const last = rows.at(-1);
  return {
    text: inMemory(Buffer.from(written.map(({ text }) => text).join(separator))),
    rowCount: rows.length,
    kinds: new Set(written.map(({ kinds }) => kinds)),
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

/** The body of a fetch of the latest rows without a cursor; null if a point read cannot answer it. */
export async function fetchedFromRows(
  services: Services,
  caller: Caller,
  kind: EventObjectKind,
  { id }: EventObject,
  request: FetchRequest,
  signal: AbortSignal,
): Promise<{ readonly found: FoundRows; readonly body: Buffer } | null> {
  const wanted = wantedBy(request);
  if (wanted === null) return null;
  const found = await services.store.find(id, wanted, clientOf(caller), signal);
  if (found === null) return null;
  const { text } = textOfRows(fetchedColumns(kind), inPageOrder(found.rows), ',');
  const events = Buffer.from(text.inMemory ?? []);
  const body = Buffer.concat([Buffer.from('{"events":['), events, Buffer.from('],"cursor":null}')]);
  return { found, body };
}
