// Compiles a query on a snapshot: selects the rows that it reads, and generates its SQL.
import {
  generatePivotValues,
  generateQuery,
  prepareQuery,
  type CompiledQuery,
  type GenerateOptions,
  type PreparedQuery,
} from '../../query/compile.js';
import type { PathTypes } from '../../query/bind/path-types.js';
import { pivotValues } from '../../query/bind/pivot.js';
import type { PagePosition } from '../../query/cursor/page-cursor.js';
import { filterBounds, type FilterBounds } from '../../query/filter-bounds.js';
import { rowsRead } from '../../query/sql/infer.js';
import type { QueryAst } from '../../query/syntax/ast.js';
import type { QueryContext } from '../../query/value/time.js';
import type { EventRelation } from '../../schema/event-relation.js';
import type { QueryRequest } from '../../schema/request.js';
import { hasFewRows, type ReadSize, type Snapshot } from '../../store/event-store.js';
import type { Caller, WithCatalog } from '../context.js';
import { readRows, type Reading } from './read-rows.js';
import { auditFor, refuseVersions } from './audit.js';
import { relationOfFirstRows } from './first-rows.js';
import { promptsFor } from './prompts.js';
import { relationFor } from './relation.js';
import { chunked, type ChunkRequest, type CompiledChunk } from './query-chunks.js';
import { readableAudits, readablePrompts, readableSources, type PromptSource } from './sources.js';

/**
 * The sources of the query by kind.
 * @throws QueryError for a source that the caller may not read; RequestError 400 for a version of the audit log
 */
export function readable(
  services: WithCatalog,
  caller: Caller,
  request: Pick<QueryRequest, 'version'>,
  { from }: QueryAst,
) {
  const objects = readableSources(services, caller, from);
  const promptSources = readablePrompts(services, caller, from);
  const auditedIds = readableAudits(services, caller, from);
  if (auditedIds.length > 0) refuseVersions(request);
  return { objects, promptSources, auditedIds };
}

/** A query whose sources the caller may read. */
export interface CheckedQuery {
  readonly request: Pick<QueryRequest, 'tz_offset' | 'audit_log'>;
  readonly prepared: PreparedQuery;
  /** The types that the request gives to paths. */
  readonly types: PathTypes;
  readonly objectIds: readonly string[];
  readonly promptSources: readonly PromptSource[];
  readonly auditedIds: readonly string[];
  /** The position after which the page begins; null for the first page. */
  readonly after: PagePosition | null;
  /** The value of `now()`, in microseconds since 1970. */
  readonly nowMicros: bigint;
  readonly signal: AbortSignal;
}

export interface CompiledRun {
  readonly relation: EventRelation;
  readonly compiled: CompiledQuery;
  /** Queries whose concatenated rows are those of `compiled`. */
  readonly chunks: readonly CompiledChunk[];
  /** The queue for reads of rows as text. */
  readonly queue: ReadSize;
}

const contextOf = ({ request, nowMicros }: CheckedQuery): QueryContext => ({
  timeZone: request.tz_offset ?? 0,
  nowMicros,
});

/** Adds the columns of `pivot`, which a separate query finds in the rows. */
async function pivoted(
  reading: Reading,
  prepared: PreparedQuery,
  options: GenerateOptions,
): Promise<PreparedQuery> {
  const query = generatePivotValues(prepared, options);
  if (query === null) return prepared;
  const rows = await readRows(reading, query);
  const texts = rows.map(([row]) => String(row));
  return prepareQuery(prepared.ast, pivotValues(prepared.ast, texts));
}

/** The number of ids or traces up to which a query is small. */
const fewValues = 100;

/** Whether the query takes no more work than a page, and so runs in the queue of small reads. */
function isSmall(
  { snapshot, objectIds, prepared, bounds }: ChunkRequest,
  hasFirstRows: boolean,
): boolean {
  if (objectIds.length === 0 || prepared.bound.unpivots.length > 0) return false;
  const values = (bounds.ids ?? bounds.rootSpanIds)?.length ?? Infinity;
  return hasFirstRows || values <= fewValues || hasFewRows(snapshot.weight(objectIds));
}

/**
 * Compiles the query. It may run queries of its own, for the values of a `pivot` and the transactions of the first rows.
 * @throws RequestError 400 for a query that does not bind or an exceeded budget; 429 if too many queries wait
 */
export async function compiledOn(
  services: WithCatalog,
  snapshot: Snapshot,
  checked: CheckedQuery,
): Promise<CompiledRun> {
  const { request, objectIds, promptSources, auditedIds, after, signal } = checked;
  const { ast } = checked.prepared;
  const context = contextOf(checked);
  const prompts = {
    sources: promptSources,
    version: snapshot.version,
    isHistory: request.audit_log === true,
  };
  const relation = (bounds: FilterBounds) => {
    if (auditedIds.length > 0) return auditFor(services, auditedIds, bounds);
    return promptSources.length > 0
      ? promptsFor(services, prompts, bounds)
      : relationFor(snapshot, objectIds, rowsRead(ast), bounds);
  };
  const bounds = filterBounds(ast, context);
  const options = { ...context, types: checked.types, after, relation: await relation(bounds) };
  const rows = { snapshot, objectIds, signal };
  const prepared = await pivoted(rows, checked.prepared, options);
  const reading = { ...rows, prepared, options, bounds, relation };
  const narrow = await relationOfFirstRows(reading);
  const chosen = narrow ?? options.relation;
  const compiled = generateQuery(prepared, { ...options, relation: chosen });
  const chunks = await chunked(reading, compiled);
  const queue = isSmall(reading, narrow !== null) ? 'small' : 'heavy';
  return { relation: chosen, compiled, chunks, queue };
}
