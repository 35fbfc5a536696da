// POST /query: from a query, text or JSON, to a streamed body.
import type { LiteralValue, QueryAst } from '../../query/syntax/ast.js';
import { compilePivotValues, compileQuery, type CompileOptions } from '../../query/compile.js';
import { lookupsOf, type Lookups } from '../../query/lookups.js';
import { parsedQuery } from './parsed-queries.js';
import { rowsRead } from '../../query/sql/infer.js';
import { pivotValues } from '../../query/sql/pivot.js';
import { cursorOf } from '../../query/page/query-cursor.js';
import type { QueryRequest } from '../../schema/request.js';
import { formatXactId } from '../../schema/xact-id.js';
import type { Snapshot } from '../../store/event-store.js';
import { columnSnapshot, columnstoreHeader } from './columnstore.js';
import type { Caller, Services } from '../context.js';
import { cursorReader } from '../cursor-reader.js';
import { arrowBody, csvBody, parquetBody } from './files.js';
import { relationOfFirstRows } from './first-rows.js';
import { freshnessHeader } from './freshness.js';
import { jsonBody } from './json.js';
import { jsonlBody } from './jsonl.js';
import { readRows } from '../read-rows.js';
import { relationFor } from './relation.js';
import { sliced } from './slices.js';
import { auditFor, refuseVersions } from './audit.js';
import { promptsFor } from './prompts.js';
import { readableAudits, readablePrompts, readableSources } from './sources.js';
import type { StreamedReply } from '../reply.js';
import { readVersion, versionHeader } from '../version.js';

const bodies = {
  json: jsonBody,
  jsonl: jsonlBody,
  csv: csvBody,
  parquet: parquetBody,
  arrow: arrowBody,
};

/** What the columns of a query with `pivot` are: its rows are read twice. */
async function valuesFor(
  snapshot: Snapshot,
  ast: QueryAst,
  options: CompileOptions,
  signal: AbortSignal,
): Promise<readonly LiteralValue[]> {
  const query = compilePivotValues(ast, options);
  if (query === null) return [];
  const rows = await readRows(snapshot, query, signal);
  return pivotValues(
    ast,
    rows.map(([row]) => String(row)),
  );
}

/**
 * @throws RequestError 400 for a query that does not parse or bind, a source that may not be read, a bad
 * version or a passed budget; 429 when too many queries wait
 */
export async function runQuery(
  services: Services,
  caller: Caller,
  request: QueryRequest,
  signal: AbortSignal,
): Promise<StreamedReply> {
  const ast = parsedQuery(request.query);
  const read = rowsRead(ast);
  const objects = readableSources(services, caller, ast.from);
  const promptSources = readablePrompts(services, caller, ast.from);
  const auditedIds = readableAudits(services, caller, ast.from);
  if (auditedIds.length > 0) refuseVersions(request);
  const reader = cursorReader(services, caller);
  const after = cursorOf(ast, reader);
  const version = after?.version ?? readVersion(request.version, 'version');
  const { snapshot, way } =
    request.use_columnstore === true
      ? await columnSnapshot(services, objects, version, signal)
      : { snapshot: await services.store.snapshot(version ?? undefined), way: null };
  try {
    const context = {
      tzOffsetMinutes: request.tz_offset ?? 0,
      nowMicros: BigInt(Date.now()) * 1000n,
    };
    const objectIds = objects.map(({ id }) => id);
    const prompts = {
      sources: promptSources,
      version: snapshot.version,
      isHistory: request.audit_log === true,
    };
    const relation = (lookups: Lookups) => {
      if (auditedIds.length > 0) return auditFor(services, auditedIds, lookups);
      return promptSources.length > 0
        ? promptsFor(services, prompts, lookups)
        : relationFor(snapshot, objectIds, read, lookups);
    };
    const lookups = lookupsOf(ast, context);
    const options = { ...context, after, relation: await relation(lookups) };
    const pivoted = { ...options, pivotValues: await valuesFor(snapshot, ast, options, signal) };
    const whole = compileQuery(read, pivoted);
    const reading = { snapshot, objectIds, ast: read, options: pivoted, lookups, relation, signal };
    const narrow = await relationOfFirstRows({ ...reading, compiled: whole });
    const compiled =
      narrow === null && read === ast
        ? whole
        : compileQuery(ast, { ...pivoted, relation: narrow ?? pivoted.relation });
    const slices = await sliced({ ...reading, compiled });
    const rowsMax = services.config.queryRows === 0 ? Infinity : services.config.queryRows;
    const run = { snapshot, ast, reader, compiled, slices, signal, rowsMax };
    const reply = await bodies[request.fmt ?? 'json'](run);
    const headers = {
      ...reply.headers,
      [versionHeader]: formatXactId(snapshot.version),
      [freshnessHeader]: 'complete',
      ...(way === null ? {} : { [columnstoreHeader]: way }),
    };
    return { ...reply, headers };
  } finally {
    await snapshot.release();
  }
}
