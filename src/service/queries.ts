// POST /query: from the text of a query to a streamed body.
import { createReadStream } from 'node:fs';
import { sourcesOf } from '../query/ast.js';
import { compileQuery, type CompiledQuery } from '../query/compile.js';
import { allRows, kindsOf, typedSelect } from '../query/output.js';
import { parseQuery } from '../query/parse.js';
import { resultSchema } from '../query/result-schema.js';
import type { QueryRequest } from '../schema/request.js';
import { formatXactId } from '../schema/xact-id.js';
import type { ExportedFile, QueryResult, Snapshot } from '../store/event-store.js';
import type { Caller, Services } from './context.js';
import { readableSources } from './query-sources.js';
import { jsonType, type StreamedReply } from './reply.js';
import { readVersion, versionHeader } from './version.js';

type Body = Omit<StreamedReply, 'headers'> & { readonly headers?: Record<string, string> };

interface Run {
  readonly snapshot: Snapshot;
  readonly compiled: CompiledQuery;
  readonly signal: AbortSignal;
}

async function* jsonText(result: QueryResult, compiled: CompiledQuery): AsyncIterable<string> {
  const kinds = new Set<string>();
  let lead = '{"data":[';
  try {
    for await (const chunk of result.stream(allRows(result.table))) {
      for (const row of chunk) kinds.add(row[1] as string);
      yield lead + chunk.map((row) => row[0] as string).join(',');
      lead = ',';
    }
  } finally {
    await result.close();
  }
  const schema = JSON.stringify(resultSchema(compiled.columns, kinds));
  const { warnings } = compiled;
  const tail = warnings.length === 0 ? '' : `,"warnings":${JSON.stringify(warnings)}`;
  yield `${lead === ',' ? '' : lead}],"schema":${schema}${tail}}`;
}

/** The query runs to its end first: a passed budget is then answered in words, not by a broken stream. */
async function jsonBody({ snapshot, compiled, signal }: Run): Promise<Body> {
  const result = await snapshot.materialize(compiled.jsonRows, { lane: 'query', signal });
  return { contentType: jsonType, body: jsonText(result, compiled) };
}

async function exportResult({ snapshot, compiled, signal }: Run): Promise<ExportedFile> {
  const { columns, rows } = compiled;
  const result = await snapshot.materialize(rows, { lane: 'query', signal });
  try {
    const [row] = await result.read(kindsOf(columns, result.table));
    const kinds = columns.map((_, index) => String(row?.[`c${index}`] ?? ''));
    return await result.exportParquet(typedSelect(columns, result.table, kinds));
  } finally {
    await result.close();
  }
}

async function* fileBytes(file: ExportedFile): AsyncIterable<Uint8Array> {
  try {
    yield* createReadStream(file.path) as AsyncIterable<Uint8Array>;
  } finally {
    await file.remove();
  }
}

async function parquetBody(run: Run): Promise<Body> {
  const file = await exportResult(run);
  return {
    contentType: 'application/vnd.apache.parquet',
    headers: { 'Content-Disposition': 'attachment; filename="query.parquet"' },
    length: file.bytes,
    body: fileBytes(file),
  };
}

const bodies = { json: jsonBody, parquet: parquetBody };

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
  const ast = parseQuery(request.query);
  const objects = readableSources(services, caller, sourcesOf(ast));
  const version = readVersion(request.version, 'version');
  const snapshot = await services.store.snapshot(version ?? undefined);
  try {
    const compiled = compileQuery(ast, {
      relation: snapshot.live(objects.map(({ id }) => id)),
      tzOffsetMinutes: request.tz_offset ?? 0,
      nowMicros: BigInt(Date.now()) * 1000n,
    });
    const reply = await bodies[request.fmt ?? 'json']({ snapshot, compiled, signal });
    const headers = { ...reply.headers, [versionHeader]: formatXactId(snapshot.version) };
    return { ...reply, headers };
  } finally {
    await snapshot.release();
  }
}
