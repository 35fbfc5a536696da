// Answers queries for whole fields of the rows with given ids, of given traces, or of the newest rows, without a statement.
import type { PreparedQuery } from '../../query/compile.js';
import { newestLookup, pointLookup } from '../../query/point-lookup.js';
import type { StoredColumn } from '../../query/page/stored-values.js';
import type { CursorReader } from '../../query/cursor/page-cursor.js';
import type { EventRow } from '../../schema/event-row.js';
import type { QueryRequest } from '../../schema/request.js';
import type { FoundRows } from '../../store/event-store.js';
import { clientOf, type Caller, type Services } from '../context.js';
import { inPageOrder, textOfRows } from './stored-rows.js';
import { checkRows } from './row-budget.js';
import type { Body } from './run.js';
import { isTextFormat, textFormats } from './text-formats.js';

export interface RowsQuery {
  readonly request: QueryRequest;
  readonly prepared: PreparedQuery;
  readonly objectIds: readonly string[];
  readonly reader: CursorReader;
  readonly nowMicros: bigint;
  /** The row budget of the answer; Infinity for none. */
  readonly rowsMax: number;
  readonly signal: AbortSignal;
}

interface DirectRead {
  readonly found: FoundRows;
  readonly columns: readonly StoredColumn[];
  /** In page order, up to the limit. */
  readonly rows: readonly EventRow[];
  /** Whether the limit omits rows. */
  readonly hasMore: boolean;
  readonly page: { readonly size: number } | null;
}

async function readDirectly(
  { store }: Services,
  caller: Caller,
  objectId: string,
  prepared: PreparedQuery,
  signal: AbortSignal,
): Promise<DirectRead | null> {
  const client = clientOf(caller);
  const newest = newestLookup(prepared);
  if (newest !== null) {
    const { columns, limit, hasPages } = newest;
    const wanted = { unit: 'rows', count: limit } as const;
    const found = await store.newest(objectId, wanted, client, signal);
    return found && { ...found, found, columns, page: hasPages ? { size: limit } : null };
  }
  const point = pointLookup(prepared);
  if (point === null) return null;
  const found = await store.find(objectId, point, client, signal);
  if (found === null) return null;
  const { columns, passes, limit, hasPages } = point;
  const all = inPageOrder(found.rows.filter(passes));
  const rows = all.slice(0, limit ?? all.length);
  const page = hasPages ? { size: limit ?? 0 } : null;
  return { found, columns, rows, hasMore: rows.length < all.length, page };
}

/**
 * Returns null for a query that needs a statement.
 * @throws RequestError 400 for an exceeded row budget, 429 if too many reads wait, 503 for a damaged segment
 */
export async function answerFromRows(
  services: Services,
  caller: Caller,
  { request, prepared, objectIds, reader, nowMicros, rowsMax, signal }: RowsQuery,
): Promise<{ readonly found: FoundRows; readonly body: Body } | null> {
  const [objectId, ...others] = objectIds;
  const fmt = request.fmt ?? 'json';
  if (objectId === undefined || others.length > 0 || !isTextFormat(fmt)) return null;
  if (typeof request.version === 'string' || request.use_columnstore === true) return null;
  const read = await readDirectly(services, caller, objectId, prepared, signal);
  if (read === null) return null;
  const { found, columns, rows, hasMore, page } = read;
  checkRows(rows.length, rowsMax);
  const { separator, bodyOf } = textFormats[fmt];
  const result = textOfRows(columns, rows, separator);
  const counted = { ...result, rowCount: result.rowCount + Number(hasMore) };
  const compiled = { columns, page, warnings: prepared.bound.warnings };
  return {
    found,
    body: bodyOf({ snapshot: found, prepared, reader, nowMicros, compiled }, counted),
  };
}
