// POST /query: from a query, text or JSON, to a streamed body.
import type { PreparedQuery } from '../../query/compile.js';
import { parsedQuery, preparedQuery } from './parsed-queries.js';
import type { QueryAst } from '../../query/syntax/ast.js';
import { printQuery } from '../../query/syntax/print.js';
import { namesOneOf, readsClock } from '../../query/syntax/walk.js';
import { rowsRead } from '../../query/sql/infer.js';
import { cursorOf } from '../../query/cursor/query-cursor.js';
import type { QueryRequest } from '../../schema/request.js';
import { formatXactId } from '../../schema/xact-id.js';
import type { FoundRows, Snapshot } from '../../store/event-store.js';
import { compiledOn, readable, type AskedQuery } from './compiled-run.js';
import { columnSnapshot, columnstoreHeader } from './columnstore.js';
import { QueryError } from '../../errors.js';
import { requirePrincipal } from '../access.js';
import { clientOf, cursorReader, type Caller, type Services } from '../context.js';
import { tagHeaders, unchanged, type Question } from '../entity-tag.js';
import { answerFromRows, type RowsQuery } from './answer-from-rows.js';
import { arrowBody, csvBody, parquetBody } from './files.js';
import { freshnessHeader } from './freshness.js';
import { feedbackFields } from './relation.js';
import { timingHeaders } from './timing.js';
import type { StreamedReply, UnchangedReply } from '../reply.js';
import { collectRows } from './row-budget.js';
import type { Body, QueryRun } from './run.js';
import { textFormats } from './text-formats.js';
import { readVersion, versionHeader } from '../version.js';

const files = { csv: csvBody, parquet: parquetBody, arrow: arrowBody };

async function bodyOf(run: QueryRun, request: QueryRequest): Promise<Body> {
  const fmt = request.fmt ?? 'json';
  if (fmt !== 'json' && fmt !== 'jsonl') return files[fmt](run);
  const { separator, bodyOf: textBody } = textFormats[fmt];
  return textBody(run, await collectRows(run, separator));
}

/** Spellings of a query can differ in the names of columns and in the places that warnings name. */
function textOf({ ast, bound }: PreparedQuery, { fmt, tz_offset: offset }: QueryRequest): string {
  const names = bound.outputs.map(({ name }) => name);
  const query = [printQuery(ast), names, bound.warnings];
  return JSON.stringify(['query', query, fmt ?? 'json', offset ?? 0]);
}

/** What the query may read, where the address of the request says so. */
export interface QueryScope {
  /** Its only source. */
  readonly experimentId: string;
}

/**
 * Without a key, only what a fetch of the experiment shows can be asked for, and nothing is moved.
 * @throws QueryError for another source; RequestError 401 for what needs a key
 */
function checkScope(
  caller: Caller,
  request: QueryRequest,
  ast: QueryAst,
  { experimentId }: QueryScope,
): void {
  const other = ast.from.find(
    ({ kind, id }) => kind !== 'experiment' || id.toLowerCase() !== experimentId,
  );
  if (other !== undefined)
    throw new QueryError(
      other.at,
      `expected the experiment in the path as the only source: experiment('${experimentId}')`,
    );
  const readsFeedback = namesOneOf(rowsRead(ast), feedbackFields);
  if (readsFeedback || request.use_columnstore === true) requirePrincipal(caller);
}

/** @throws QueryError for a query that does not parse or bind, or a source that may not be read; RequestError for a bad version */
export function checkQuery(services: Services, caller: Caller, request: QueryRequest): void {
  const ast = parsedQuery(request.query);
  readable(services, caller, request, ast);
  preparedQuery(ast);
  readVersion(request.version, 'version');
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
  scope: QueryScope | null = null,
): Promise<StreamedReply | UnchangedReply> {
  const started = performance.now();
  const ast = parsedQuery(request.query);
  if (scope !== null) checkScope(caller, request, ast, scope);
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
  const rowsMax = services.config.queryRows === 0 ? Infinity : services.config.queryRows;
  const tagged = isTagged ? question : null;
  const asked = { request, prepared: general, objectIds, reader, rowsMax, signal };
  const direct = isListed ? null : await answerFromRows(services, caller, asked);
  if (direct !== null) return replyOf(services, caller, tagged, direct.body, direct.found, started);
  const { snapshot, way } =
    request.use_columnstore === true
      ? await columnSnapshot(services, objects, { version, client }, signal)
      : { snapshot: await services.store.snapshot(version, client), way: null };
  try {
    const run = { ...asked, ast, after, promptSources, auditedIds };
    const body = await bodyOnSnapshot(services, run, snapshot);
    const reply = replyOf(services, caller, tagged, body, snapshot, started);
    if (way !== null) reply.headers[columnstoreHeader] = way;
    return reply;
  } finally {
    await snapshot.release();
  }
}

function replyOf(
  services: Services,
  caller: Caller,
  tagged: Question | null,
  body: Body,
  snapshot: Pick<FoundRows, 'version' | 'identity' | 'times'>,
  started: number,
) {
  const headers: Record<string, string> = {
    ...body.headers,
    ...(tagged === null ? {} : tagHeaders(services, tagged, snapshot)),
    [versionHeader]: formatXactId(snapshot.version),
    [freshnessHeader]: 'complete',
    ...timingHeaders(caller, snapshot, started),
  };
  return { ...body, headers };
}

interface Run
  extends RowsQuery, Pick<AskedQuery, 'ast' | 'after' | 'promptSources' | 'auditedIds'> {}

async function bodyOnSnapshot(services: Services, asked: Run, snapshot: Snapshot): Promise<Body> {
  const { ast, request, prepared: general, reader, rowsMax, signal } = asked;
  const { compiled, slices, lane } = await compiledOn(services, snapshot, { ...asked, general });
  const run = { snapshot, ast, reader, compiled, slices, lane, signal, rowsMax };
  return bodyOf(run, request);
}
