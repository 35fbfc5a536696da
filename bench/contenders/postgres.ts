// PostgreSQL with JSONB and the indexes that one would give it for these questions.
import { Pool } from 'pg';
import type { Dataset } from '../generator/dataset.js';
import type { AnswerRow, Contender, Surroundings } from './contender.js';
import { bulkConnections, forEachBatch } from '../ingest/bulk.js';
import { type LeafColumn, type LeafType } from './leaf-columns.js';
import { openPostgresIngester } from './postgres-ingester.js';
import { columns, names } from './postgres-columns.js';
import { startPostgres } from './postgres-process.js';

const jsonTypes = { number: 'number', text: 'string', flag: 'boolean' } as const;
const casts = { number: '::float8', text: '', flag: '::boolean' } as const satisfies Record<
  LeafType,
  string
>;

export function leafSql({ column, path: steps, type, isMixed }: LeafColumn): string {
  const [last = '', ...parents] = steps.toReversed().map((step) => `'${step}'`);
  const parent = [column, ...parents.toReversed()].join('->');
  const value = `(${parent}->>${last})${casts[type]}`;
  return isMixed
    ? `CASE jsonb_typeof(${parent}->${last}) WHEN '${jsonTypes[type]}' THEN ${value} END`
    : value;
}

/** The events that are asked for are of object 1, which stands first in the indexes as it would with many. */
export const tableSql = `
  CREATE TABLE stored (object int NOT NULL DEFAULT 1, ${columns});
  CREATE INDEX ON stored (object, created);
  CREATE UNIQUE INDEX ON stored (object, id);
  CREATE INDEX ON stored ((metadata->>'model'));
  CREATE INDEX ON stored USING gin (metadata jsonb_path_ops);`;

const schema = (leaves: readonly LeafColumn[]): string => `${tableSql}
  CREATE VIEW event AS SELECT ${names},
    ${leaves.map((leaf) => `${leafSql(leaf)} AS ${leaf.name}`).join(', ')} FROM stored WHERE object = 1;`;

/** The index that traces are looked up by is made after the load, so that inserts do not pay for it. */
const settleSql = ['CREATE INDEX ON stored (object, root_span_id)', 'VACUUM ANALYZE stored'];

/** The whole batch is one parameter, and the server parses it: the client has next to nothing to do. */
const insertBatch = `INSERT INTO stored (${names}) SELECT ${names} FROM json_to_recordset($1::json) AS batch(${columns})`;

const insertAll = (pool: Pool, dataset: Dataset): Promise<void> =>
  forEachBatch(dataset, (lines) => pool.query(insertBatch, [`[${lines.join(',')}]`]));

export async function openPostgres(surroundings: Surroundings): Promise<Contender> {
  const server = await startPostgres(surroundings);
  const connect = (connections: number) =>
    new Pool({
      host: '127.0.0.1',
      port: server.port,
      user: server.user,
      database: 'postgres',
      max: connections,
    });
  const pool = connect(bulkConnections);
  let objects = 1;
  const { rows: versions } = await pool.query<{ server_version: string }>('SHOW server_version');
  return {
    name: 'postgres',
    title: 'PostgreSQL, JSONB',
    version: `PostgreSQL ${versions[0]?.server_version ?? ''}`,
    insert: async (dataset) => {
      await pool.query(schema(surroundings.leaves));
      await insertAll(pool, dataset);
    },
    settle: async () => {
      for (const sql of settleSql) await pool.query(sql);
    },
    run: (sql, values) => pool.query(sql, [...(values ?? [])]),
    openIngester: async (connections) => openPostgresIngester(connect(connections), ++objects),
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
