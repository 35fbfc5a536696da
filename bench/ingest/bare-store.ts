// The floor for bulk ingest: parse, append, one durable commit per group of requests; no validation, no rules.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { DuckDBDataChunk, DuckDBInstance, VARCHAR, type DuckDBConnection } from '@duckdb/node-api';

const columns = [
  'id',
  'created',
  'span_id',
  'root_span_id',
  'input',
  'output',
  'expected',
  'scores',
  'metadata',
  'metrics',
  'tags',
  'span_attributes',
] as const;

const types = columns.map(() => VARCHAR);
/** The engine's own limit. */
const rowsPerChunk = 2048;

type Row = readonly (string | null)[];

interface Request {
  readonly rows: readonly Row[];
  readonly answer: () => void;
}

const asText = (value: unknown): string | null => {
  if (value === undefined || value === null) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
};

function readRows(body: string): readonly Row[] {
  const { events } = JSON.parse(body) as { readonly events: readonly Record<string, unknown>[] };
  return events.map((event) => columns.map((column) => asText(event[column])));
}

async function commit(connection: DuckDBConnection, rows: readonly Row[]): Promise<void> {
  await connection.run('BEGIN');
  const appender = await connection.createAppender('event');
  for (let start = 0; start < rows.length; start += rowsPerChunk) {
    const chunk = DuckDBDataChunk.create(types);
    chunk.setRows(rows.slice(start, start + rowsPerChunk));
    appender.appendDataChunk(chunk);
  }
  appender.closeSync();
  await connection.run('COMMIT');
}

let waiting: Request[] = [];
let committing = false;

async function commitWaiting(connection: DuckDBConnection): Promise<void> {
  if (committing) return;
  committing = true;
  while (waiting.length > 0) {
    const group = waiting;
    waiting = [];
    await commit(
      connection,
      group.flatMap(({ rows }) => rows),
    );
    for (const { answer } of group) answer();
  }
  committing = false;
}

async function serve(
  connection: DuckDBConnection,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const rows = readRows(await text(request));
  const answer = () => response.end(JSON.stringify({ row_ids: rows.map(([id]) => id) }));
  waiting.push({ rows, answer });
  await commitWaiting(connection);
}

const instance = await DuckDBInstance.create(
  path.join(process.env['BENCH_DIR'] ?? '.', 'bare.duckdb'),
  {
    checkpoint_threshold: '4GB',
  },
);
const connection = await instance.connect();
await connection.run(
  `CREATE TABLE event (${columns.map((column) => `"${column}" VARCHAR`).join(', ')})`,
);

const server = createServer((request, response) => {
  serve(connection, request, response).catch((error: unknown) => {
    console.error(error);
    process.exit(1);
  });
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`listening on http://127.0.0.1:${port}\n`);
});
process.once('SIGTERM', () => process.exit(0));
