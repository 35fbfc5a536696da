// Answers queries for whole fields of the rows with given ids, or of given traces, by a point read, without a statement.
import type { PreparedQuery } from '../../query/compile.js';
import { pointLookup } from '../../query/point-lookup.js';
import type { CursorReader } from '../../query/cursor/page-cursor.js';
import type { QueryRequest } from '../../schema/request.js';
import type { FoundRows } from '../../store/event-store.js';
import { clientOf, type Caller, type Services } from '../context.js';
import { inPageOrder, textOfRows } from '../stored-rows.js';
import { checkRows } from './row-budget.js';
import type { Body } from './run.js';
import { textFormats } from './text-formats.js';

export interface RowsQuery {
  readonly request: QueryRequest;
  readonly prepared: PreparedQuery;
  readonly objectIds: readonly string[];
  readonly reader: CursorReader;
  /** The row budget of the answer; Infinity for none. */
  readonly rowsMax: number;
  readonly signal: AbortSignal;
}

/**
 * Returns null for a query that a point read cannot answer.
 * @throws RequestError 400 for an exceeded row budget, 429 if too many reads wait, 503 for a damaged segment
 */
export async function answerFromRows(
  services: Services,
  caller: Caller,
  { request, prepared, objectIds, reader, rowsMax, signal }: RowsQuery,
): Promise<{ readonly found: FoundRows; readonly body: Body } | null> {
  const [objectId, ...others] = objectIds;
  const fmt = request.fmt ?? 'json';
  if (objectId === undefined || others.length > 0 || (fmt !== 'json' && fmt !== 'jsonl'))
    return null;
  if (typeof request.version === 'string' || request.use_columnstore === true) return null;
  const point = pointLookup(prepared);
  if (point === null) return null;
  const found = await services.store.find(objectId, point, clientOf(caller), signal);
  if (found === null) return null;
  const { columns, passes, limit, hasPages } = point;
  const rows = inPageOrder(found.rows.filter(passes));
  const limited = rows.slice(0, limit ?? rows.length);
  checkRows(limited.length, rowsMax);
  const { separator, bodyOf } = textFormats[fmt];
  const result = { ...textOfRows(columns, limited, separator), rowCount: rows.length };
  const page = hasPages ? { size: limit ?? 0 } : null;
  const compiled = { columns, page, warnings: prepared.bound.warnings };
  return { found, body: bodyOf({ snapshot: found, ast: prepared.ast, reader, compiled }, result) };
}
