// PostgreSQL with JSONB and the indexes that one would give it for these questions.
import { Pool } from 'pg';
import type { Dataset } from '../generator/dataset.js';
import { secondsOf } from '../measure.js';
import type { AnswerRow, Contender, Surroundings } from './contender.js';
import { bulkConnections, forEachBatch } from '../ingest/bulk.js';
import { jsonTextColumns, leafColumns, type LeafColumn, type LeafType } from './leaf-columns.js';
import { startPostgres } from './postgres-process.js';

const columns = [
  'id text',
  'created timestamptz',
  'span_id text',
  'root_span_id text',
  'span_parents text[]',
  'tags text[]',
  ...jsonTextColumns.map((name) => `${name} jsonb`),
].join(', ');

const names = columns.replaceAll(/ \S+(,|$)/g, '$1');

const jsonTypes = { number: 'number', text: 'string', flag: 'boolean' } as const;
const casts = { number: '::float8', text: '', flag: '::boolean' } as const satisfies Record<
  LeafType,
  string
>;

function leafSql({ column, path: steps, type, isMixed }: LeafColumn): string {
  const [last = '', ...parents] = steps.toReversed().map((step) => `'${step}'`);
  const parent = [column, ...parents.toReversed()].join('->');
  const value = `(${parent}->>${last})${casts[type]}`;
  return isMixed
    ? `CASE jsonb_typeof(${parent}->${last}) WHEN '${jsonTypes[type]}' THEN ${value} END`
    : value;
}

const leafList = leafColumns.map((leaf) => `${leafSql(leaf)} AS ${leaf.name}`).join(', ');

/** All events are of one object here; it stands first in the indexes as it would with many. */
const schema = `
  CREATE TABLE stored (object int NOT NULL DEFAULT 1, ${columns});
  CREATE INDEX ON stored (object, created);
  CREATE UNIQUE INDEX ON stored (object, id);
  CREATE INDEX ON stored (object, root_span_id);
  CREATE INDEX ON stored ((metadata->>'model'));
  CREATE INDEX ON stored USING gin (metadata jsonb_path_ops);
  CREATE VIEW event AS SELECT ${names}, ${leafList} FROM stored WHERE object = 1;`;

/** The whole batch is one parameter, and the server parses it: the client has next to nothing to do. */
const insertBatch = `INSERT INTO stored (${names}) SELECT ${names} FROM json_to_recordset($1::json) AS batch(${columns})`;

const insertAll = (pool: Pool, dataset: Dataset): Promise<void> =>
  forEachBatch(dataset, (lines) => pool.query(insertBatch, [`[${lines.join(',')}]`]));

export async function openPostgres(surroundings: Surroundings): Promise<Contender> {
  const server = await startPostgres(surroundings);
  const pool = new Pool({
    host: '127.0.0.1',
    port: server.port,
    user: server.user,
    database: 'postgres',
    max: bulkConnections,
  });
  const { rows: versions } = await pool.query<{ server_version: string }>('SHOW server_version');
  return {
    name: 'postgres',
    title: 'PostgreSQL, JSONB',
    version: `PostgreSQL ${versions[0]?.server_version ?? ''}`,
    load: async (dataset) => {
      await pool.query(schema);
      return {
        inserting: await secondsOf(() => insertAll(pool, dataset)),
        settling: await secondsOf(() => pool.query('VACUUM ANALYZE stored')),
      };
    },
    answer: async ({ postgres }) => {
      const { rows } = await pool.query<Record<string, unknown>>(postgres);
      return rows.map(withText);
    },
    bytesOnDisk: async () => {
      const { rows } = await pool.query<{ bytes: string }>(
        "SELECT pg_total_relation_size('stored') AS bytes",
      );
      return Number(rows[0]?.bytes);
    },
    close: async () => {
      await pool.end();
      await server.stop();
    },
  };
}

/** The client parses JSONB by itself; the other contenders give its text. */
const withText = (row: Record<string, unknown>): AnswerRow =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => {
      const isJson = typeof value === 'object' && value !== null && !(value instanceof Date);
      return [name, isJson ? JSON.stringify(value) : value];
    }),
  );
