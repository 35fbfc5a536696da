// POST /query: runs a query, given as text or as JSON, and replies with a streamed body.
import { noTypes, pathTypes, type PathTypes } from '../../query/bind/path-types.js';
import type { PreparedQuery } from '../../query/compile.js';
import { parsedQuery, preparedQuery } from './parsed-queries.js';
import type { InferItem, QueryAst, SelectItem } from '../../query/syntax/ast.js';
import { isShort } from '../../query/syntax/effort.js';
import { printQuery } from '../../query/syntax/print.js';
import { namesOneOf, readsClock } from '../../query/syntax/walk.js';
import { rowsRead } from '../../query/sql/infer.js';
import { cursorOf } from '../../query/cursor/query-cursor.js';
import { isTyped } from '../../schema/query-format.js';
import type { QueryRequest } from '../../schema/request.js';
import type { FoundRows } from '../../store/event-store.js';
import { compiledOn, readable } from './compiled-run.js';
import { columnSnapshot, columnstoreHeader } from './columnstore.js';
import { badRequest, QueryError } from '../../errors.js';
import { requirePrincipal } from '../access/access.js';
import { positionOf } from './cursor-position.js';
import { checkPublicVersion } from '../access/public-experiments.js';
import { clientOf, cursorReader, type Caller, type Services } from '../context.js';
import type { NewQuery, RunningQuery } from '../running-queries.js';
import { tagHeaders, unchanged, type TaggedRequest } from '../entity-tag.js';
import { answerFromRows } from './answer-from-rows.js';
import { fileBody } from './files.js';
import { answeredWhere, clusterQuery } from './cluster-route.js';
import { compileLong } from './long-queries.js';
import { freshnessHeader } from './freshness.js';
import { visiblePrompts } from './prompts.js';
import { privateFields } from './relation.js';
import { timingHeaders } from './timing.js';
import type { Reply } from '../reply.js';
import { checkExplain, explainQuery } from './explain.js';
import { collectRows } from './row-budget.js';
import type { Body, QueryRun } from './run.js';
import { isTextFormat, textFormats } from './text-formats.js';
import { checkHistory, readVersion, versionHeaders } from '../version.js';

async function bodyOf(run: QueryRun, request: QueryRequest): Promise<Body> {
  const fmt = request.fmt ?? 'json';
  if (!isTextFormat(fmt)) return await fileBody(run, fmt);
  const { separator, bodyOf: textBody } = textFormats[fmt];
  return textBody(run, await collectRows(run, separator));
}

/**
 * The request as text, for its entity tag. The canonical text of a query lacks the column names, the warnings, and which columns
 * ORDER BY names by number.
 */
function textOf(
  { ast, bound }: PreparedQuery,
  { fmt, types, tz_offset: offset }: QueryRequest,
): string {
  const names = bound.outputs.map(({ name }) => name);
  const query = [printQuery(ast), names, sortedColumns(ast), bound.warnings];
  return JSON.stringify(['query', query, fmt ?? 'json', offset ?? 0, types ?? {}]);
}

/** @throws RequestError 400 for a type of anything else than a path in a column, or for a format without types */
function typesOf({ fmt, types }: QueryRequest, { ast, bound }: PreparedQuery): PathTypes {
  if (types === undefined || types === null) return noTypes;
  if (!isTyped(fmt ?? 'json'))
    throw badRequest(`types: only the formats parquet and arrow have types, not ${fmt ?? 'json'}`);
  return pathTypes(types, ast, bound);
}

/** For each sort key that is the number of a column: its index. -1 for other keys. */
const sortedColumns = ({ select, dimensions, sort }: QueryAst): readonly number[] =>
  sort.map(({ expression }) =>
    [...(select ?? []), ...dimensions].findIndex(
      (item) => item.kind === 'expression' && item.expression === expression,
    ),
  );

/** The restriction of a query to the experiment in the path of its request. */
export interface QueryScope {
  readonly experimentId: string;
}

function starWithoutPrivate<T extends SelectItem | InferItem>(item: T): T {
  return item.kind === 'star' ? { ...item, without: privateFields } : item;
}

/**
 * The query in its scope. Without a key, it reads only fields that a fetch of the experiment has and no earlier versions, and moves
 * no rows to segments.
 * @throws QueryError for another source; RequestError 401 for other fields, versions or `use_columnstore` without a key
 */
function scoped(
  caller: Caller,
  request: QueryRequest,
  ast: QueryAst,
  { experimentId }: QueryScope,
): QueryAst {
  const other = ast.from.find(
    ({ kind, id }) => kind !== 'experiment' || id.toLowerCase() !== experimentId,
  );
  if (other !== undefined)
    throw new QueryError(
      other.at,
      `expected the experiment in the path as the only source: experiment('${experimentId}')`,
    );
  if (caller.kind === 'key') return ast;
  const readsOthers = namesOneOf(rowsRead(ast), privateFields);
  const needsKey = readsOthers || ast.shape === 'versions' || request.use_columnstore === true;
  if (needsKey) requirePrincipal(caller);
  const select = ast.select?.map(starWithoutPrivate) ?? null;
  return { ...ast, select, infer: ast.infer?.map(starWithoutPrivate) ?? null };
}

/**
 * The ids of all that the query may read.
 * @throws RequestError 400 for a query that does not parse or bind, an unreadable source or an invalid version; 429 if too many
 * long queries wait
 */
export async function checkQuery(
  services: Services,
  caller: Caller,
  request: QueryRequest,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const ast = await parsedQuery(caller, request.query, signal);
  const { objects, promptSources, auditedIds } = readable(services, caller, request, ast);
  typesOf(request, preparedQuery(ast));
  readVersion(request.version, 'version');
  const prompts = visiblePrompts(services, promptSources);
  return [...objects, ...prompts].map(({ id }) => id).concat(auditedIds);
}

/**
 * @param ifNoneMatch the header If-None-Match, or ''
 * @throws RequestError 400 for a query that does not parse or bind, a source that the caller may not read, an invalid version or
 * an exceeded budget; 429 if too many queries wait
 */
export async function runQuery(
  services: Services,
  caller: Caller,
  request: QueryRequest,
  ifNoneMatch: string,
  signal: AbortSignal,
  scope: QueryScope | null = null,
): Promise<Reply> {
  const started = performance.now();
  const parsing = parsedQuery(caller, request.query, signal);
  const sent = parsing instanceof Promise ? await parsing : parsing;
  const ast = scope === null ? sent : scoped(caller, request, sent, scope);
  const sources = readable(services, caller, request, ast);
  const asked = { caller, request, ifNoneMatch, ast, sources, started };
  return services.runningQueries.run(newQuery(asked), signal, (running) =>
    answered(services, asked, running),
  );
}

/** A query whose sources the caller may read. */
interface AskedQuery {
  readonly caller: Caller;
  readonly request: QueryRequest;
  readonly ifNoneMatch: string;
  readonly ast: QueryAst;
  readonly sources: ReturnType<typeof readable>;
  /** The time at which the request was read, by `performance.now()`. */
  readonly started: number;
}

function newQuery({ caller, request, ast, sources }: AskedQuery): NewQuery {
  const { objects, promptSources } = sources;
  const projects = [
    ...objects.map(({ projectId }) => projectId),
    ...promptSources.map(({ project }) => project.id),
  ];
  const { query } = request;
  return {
    userId: caller.kind === 'key' ? caller.userId : null,
    requestId: caller.requestId,
    text: typeof query === 'string' ? query : printQuery(ast),
    orgIds: caller.kind === 'key' ? caller.orgIds : objects.map(({ orgId }) => orgId),
    projectIds: [...new Set(projects)],
  };
}

async function answered(
  services: Services,
  { caller, request, ifNoneMatch, ast, sources, started }: AskedQuery,
  running: RunningQuery,
): Promise<Reply> {
  const { objects, promptSources, auditedIds } = sources;
  const { signal } = running;
  const isExplained = (request.explain ?? false) !== false;
  if (isExplained) checkExplain(services, caller);
  const reader = cursorReader(services, caller);
  const after = cursorOf(ast, reader);
  const version = after?.version ?? readVersion(request.version, 'version');
  // All pages of a result have the same `now()`.
  const nowMicros = after?.nowMicros ?? BigInt(Date.now()) * 1000n;
  const objectIds = objects.map(({ id }) => id);
  for (const id of objectIds) checkPublicVersion(services, caller, id, version);
  checkHistory(services, objectIds, version, after === null ? 'version' : 'cursor');
  const client = clientOf(caller);
  // Only the store tracks changes, so rows of the catalog have no entity tag.
  const readsCatalog = promptSources.length > 0 || auditedIds.length > 0;
  const isTagged = !readsCatalog && !readsClock(ast) && !isExplained;
  const prepared = preparedQuery(ast);
  const text = isTagged ? textOf(prepared, request) : '';
  const tagged = isTagged ? { caller, objectIds, version, text, ifNoneMatch } : null;
  const known = tagged && unchanged(services, tagged);
  if (known !== null) return known;
  const rowsMax = services.config.queryRows === 0 ? Infinity : services.config.queryRows;
  const types = typesOf(request, prepared);
  const checked = { request, prepared, types, objectIds, reader, nowMicros, rowsMax, signal };
  const direct =
    readsCatalog || isExplained ? null : await answerFromRows(services, caller, checked);
  if (direct !== null) return replyOf(services, caller, tagged, direct.body, direct.found, started);
  const { snapshot, way } =
    request.use_columnstore === true
      ? await columnSnapshot(services, objects, { version, client }, signal)
      : { snapshot: await services.store.snapshot(version, client), way: null };
  running.times = snapshot.times;
  running.weight = snapshot.weight(objectIds);
  try {
    signal.throwIfAborted();
    const place = after && (await positionOf({ snapshot, objectIds, signal }, after));
    const placed = { ...checked, after: place, promptSources, auditedIds };
    const compile = () => compiledOn(services, snapshot, placed);
    const compiled = await (isShort(request.query)
      ? compile()
      : compileLong(compile, client, signal));
    const run = { ...checked, ...compiled, snapshot };
    const routed = clusterQuery(run, { id: running.id, client, prepared, objects, version });
    if (isExplained) {
      const isAnalyzed = request.explain === 'analyze';
      const cluster = services.cluster && (await services.cluster.explain(routed));
      return await explainQuery(services, snapshot, compiled, { isAnalyzed, cluster, signal });
    }
    const { body, snapshot: read } = await answeredWhere(services, routed, run, (chosen) =>
      bodyOf(chosen, request),
    );
    running.times = read.times;
    const reply = replyOf(services, caller, tagged, body, read, started);
    if (way !== null) reply.headers[columnstoreHeader] = way;
    return reply;
  } finally {
    await snapshot.release();
  }
}

function replyOf(
  services: Services,
  caller: Caller,
  tagged: TaggedRequest | null,
  body: Body,
  snapshot: Pick<FoundRows, 'version' | 'identity' | 'times'>,
  started: number,
) {
  const headers: Record<string, string> = {
    ...body.headers,
    ...(tagged === null ? {} : tagHeaders(services, tagged, snapshot)),
    ...versionHeaders(snapshot.version),
    [freshnessHeader]: 'complete',
    ...timingHeaders(caller, snapshot, started),
  };
  return { ...body, headers };
}
