// What a query reads, and the SQL for it, on one snapshot. `npm run explain` shows what this gives.
import {
  generatePivotValues,
  generateQuery,
  prepareQuery,
  type CompiledQuery,
  type GenerateOptions,
  type PreparedQuery,
} from '../../query/compile.js';
import { pivotValues } from '../../query/bind/pivot.js';
import type { PagePosition } from '../../query/cursor/page-cursor.js';
import { lookupsOf, type Lookups } from '../../query/lookups.js';
import { rowsRead } from '../../query/sql/infer.js';
import type { QueryAst } from '../../query/syntax/ast.js';
import type { QueryContext } from '../../query/value/time.js';
import type { EventRelation } from '../../schema/event-relation.js';
import type { QueryRequest } from '../../schema/request.js';
import type { LaneName, Snapshot } from '../../store/event-store.js';
import type { Caller, WithCatalog } from '../context.js';
import { readRows, type Reading } from '../read-rows.js';
import { auditFor, refuseVersions } from './audit.js';
import { relationOfFirstRows } from './first-rows.js';
import { promptsFor } from './prompts.js';
import { relationFor } from './relation.js';
import { sliced, type SliceRequest } from './slices.js';
import { readableAudits, readablePrompts, readableSources, type PromptSource } from './sources.js';

/**
 * What the query reads, each kind of source apart.
 * @throws QueryError for a source that may not be read; RequestError 400 for a version of the audit log
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

/** A query whose sources may be read. */
export interface AskedQuery {
  readonly request: Pick<QueryRequest, 'tz_offset' | 'audit_log'>;
  readonly ast: QueryAst;
  readonly general: PreparedQuery;
  readonly objectIds: readonly string[];
  readonly promptSources: readonly PromptSource[];
  readonly auditedIds: readonly string[];
  /** Where its page begins. */
  readonly after: PagePosition | null;
  readonly signal: AbortSignal;
}

export interface CompiledRun {
  readonly prepared: PreparedQuery;
  readonly lookups: Lookups;
  readonly relation: EventRelation;
  readonly compiled: CompiledQuery;
  /** Queries whose rows, one query's after the other's, are those of `compiled`. */
  readonly slices: readonly CompiledQuery[];
  /** Where rows that are sent as text are read. */
  readonly lane: LaneName;
}

const contextOf = ({ tz_offset: offset }: AskedQuery['request']): QueryContext => ({
  tzOffsetMinutes: offset ?? 0,
  nowMicros: BigInt(Date.now()) * 1000n,
});

/** A query with `pivot` has the columns that its rows say: they are read twice. */
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

/** Ids of rows, or of traces, that are as few as those of a page. */
const fewValues = 100;

/** Whether the query is no more work than a page, so that it does not have to wait for others. */
function isSmall(
  { snapshot, objectIds, prepared, lookups }: SliceRequest,
  hasFirstRows: boolean,
): boolean {
  if (objectIds.length === 0 || prepared.bound.unpivots.length > 0) return false;
  const values = (lookups.ids ?? lookups.rootSpanIds)?.length ?? Infinity;
  return hasFirstRows || values <= fewValues || snapshot.isSmall(objectIds);
}

/**
 * Reads what it takes to know what is read: the values of a `pivot`, and which transactions the first rows are in.
 * @throws RequestError 400 for a query that does not bind or a passed budget; 429 when too many queries wait
 */
export async function compiledOn(
  services: WithCatalog,
  snapshot: Snapshot,
  { request, ast, general, objectIds, promptSources, auditedIds, after, signal }: AskedQuery,
): Promise<CompiledRun> {
  const context = contextOf(request);
  const prompts = {
    sources: promptSources,
    version: snapshot.version,
    isHistory: request.audit_log === true,
  };
  const relation = (lookups: Lookups) => {
    if (auditedIds.length > 0) return auditFor(services, auditedIds, lookups);
    return promptSources.length > 0
      ? promptsFor(services, prompts, lookups)
      : relationFor(snapshot, objectIds, rowsRead(ast), lookups);
  };
  const lookups = lookupsOf(ast, context);
  const options = { ...context, after, relation: await relation(lookups) };
  const rows = { snapshot, objectIds, signal };
  const prepared = await pivoted(rows, general, options);
  const reading = { ...rows, prepared, options, lookups, relation };
  const narrow = await relationOfFirstRows(reading);
  const chosen = narrow ?? options.relation;
  const compiled = generateQuery(prepared, { ...options, relation: chosen });
  const slices = await sliced(reading, compiled);
  const lane = isSmall(reading, narrow !== null) ? 'lookup' : 'query';
  return { prepared, lookups, relation: chosen, compiled, slices, lane };
}
