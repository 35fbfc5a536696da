// POST /query: from a query, text or JSON, to a streamed body.
import {
  generatePivotValues,
  generateQuery,
  prepareQuery,
  type GenerateOptions,
  type PreparedQuery,
} from '../../query/compile.js';
import { lookupsOf, type Lookups } from '../../query/lookups.js';
import { parsedQuery, preparedQuery } from './parsed-queries.js';
import type { QueryAst } from '../../query/syntax/ast.js';
import { printQuery } from '../../query/syntax/print.js';
import { readsClock } from '../../query/syntax/walk.js';
import { rowsRead } from '../../query/sql/infer.js';
import { pivotValues } from '../../query/sql/pivot.js';
import { cursorOf } from '../../query/page/query-cursor.js';
import type { QueryRequest } from '../../schema/request.js';
import { formatXactId } from '../../schema/xact-id.js';
import type { LaneName } from '../../store/event-store.js';
import { columnSnapshot, columnstoreHeader } from './columnstore.js';
import { clientOf, type Caller, type Services } from '../context.js';
import { cursorReader } from '../cursor-reader.js';
import { tagHeaders, unchanged } from '../entity-tag.js';
import { arrowBody, csvBody, parquetBody } from './files.js';
import { relationOfFirstRows } from './first-rows.js';
import { freshnessHeader } from './freshness.js';
import { jsonBody } from './json.js';
import { jsonlBody } from './jsonl.js';
import { readRows, type Reading } from '../read-rows.js';
import { relationFor } from './relation.js';
import { sliced, type SliceRequest } from './slices.js';
import { auditFor, refuseVersions } from './audit.js';
import { promptsFor } from './prompts.js';
import { readableAudits, readablePrompts, readableSources } from './sources.js';
import type { StreamedReply, UnchangedReply } from '../reply.js';
import { readVersion, versionHeader } from '../version.js';

const bodies = {
  json: jsonBody,
  jsonl: jsonlBody,
  csv: csvBody,
  parquet: parquetBody,
  arrow: arrowBody,
};

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

/** Spellings of a query can differ in the names of columns and in the places that warnings name. */
function textOf({ ast, bound }: PreparedQuery, { fmt, tz_offset: offset }: QueryRequest): string {
  const names = bound.outputs.map(({ name }) => name);
  const query = [printQuery(ast), names, bound.warnings];
  return JSON.stringify(['query', query, fmt ?? 'json', offset ?? 0]);
}

/** What the query reads, each kind of source apart. */
function readable(services: Services, caller: Caller, request: QueryRequest, { from }: QueryAst) {
  const objects = readableSources(services, caller, from);
  const promptSources = readablePrompts(services, caller, from);
  const auditedIds = readableAudits(services, caller, from);
  if (auditedIds.length > 0) refuseVersions(request);
  return { objects, promptSources, auditedIds };
}

/**
 * @throws RequestError 400 for a query that does not parse or bind, a source that may not be read, a bad
 * version or a passed budget; 429 when too many queries wait
 */
export async function runQuery(
  services: Services,
  caller: Caller,
  request: QueryRequest,
  ifNoneMatch: string,
  signal: AbortSignal,
): Promise<StreamedReply | UnchangedReply> {
  const ast = parsedQuery(request.query);
  const { objects, promptSources, auditedIds } = readable(services, caller, request, ast);
  const reader = cursorReader(services, caller);
  const after = cursorOf(ast, reader);
  const version = after?.version ?? readVersion(request.version, 'version');
  const objectIds = objects.map(({ id }) => id);
  const client = clientOf(caller);
  // Prompts and the audit log are not in the store, which knows when something changed.
  const isListed = promptSources.length > 0 || auditedIds.length > 0;
  const isTagged = !isListed && !readsClock(ast);
  const general = preparedQuery(ast);
  const text = isTagged ? textOf(general, request) : '';
  const question = { caller, objectIds, version, text, ifNoneMatch };
  const known = isTagged ? unchanged(services, question) : null;
  if (known !== null) return known;
  const { snapshot, way } =
    request.use_columnstore === true
      ? await columnSnapshot(services, objects, { version, client }, signal)
      : { snapshot: await services.store.snapshot(version, client), way: null };
  try {
    const context = {
      tzOffsetMinutes: request.tz_offset ?? 0,
      nowMicros: BigInt(Date.now()) * 1000n,
    };
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
    const compiled = generateQuery(
      prepared,
      narrow === null ? options : { ...options, relation: narrow },
    );
    const slices = await sliced(reading, compiled);
    const rowsMax = services.config.queryRows === 0 ? Infinity : services.config.queryRows;
    const lane: LaneName = isSmall(reading, narrow !== null) ? 'lookup' : 'query';
    const run = { snapshot, ast, reader, compiled, slices, lane, signal, rowsMax };
    const reply = await bodies[request.fmt ?? 'json'](run);
    const headers = {
      ...reply.headers,
      ...(isTagged ? tagHeaders(services, question, snapshot) : {}),
      [versionHeader]: formatXactId(snapshot.version),
      [freshnessHeader]: 'complete',
      ...(way === null ? {} : { [columnstoreHeader]: way }),
    };
    return { ...reply, headers };
  } finally {
    await snapshot.release();
  }
}
