// The rows of both sides -> the relation `comparison` of each engine, in its own layout.
import { readFile } from 'node:fs/promises';
import type { Contender } from '../contenders/contender.js';
import { leafSql as clickhouseLeaf } from '../contenders/clickhouse.js';
import { leafList as duckdbLeaves } from '../contenders/duckdb-file.js';
import { leafSql as postgresLeaf } from '../contenders/postgres.js';
import { scoreLeaves } from './question.js';

type Run = NonNullable<Contender['run']>;

const duckdbColumns =
  "{side: 'VARCHAR', root_span_id: 'VARCHAR', span_parents: 'VARCHAR[]', input: 'JSON', scores: 'JSON'}";

/** What is computed is stored in the ideal file, and left to each question over JSON text. */
async function loadDuckdb(run: Run, file: string, storesLeaves: boolean): Promise<void> {
  const computed = `side, root_span_id, span_parents IS NULL AS is_root, md5(input) AS input_hash${duckdbLeaves(scoreLeaves)}`;
  const stored =
    'side, root_span_id, span_parents, input::VARCHAR AS input, scores::VARCHAR AS scores';
  const target = `${file}-${storesLeaves ? 'typed' : 'text'}.parquet`;
  await run(`COPY (SELECT ${storesLeaves ? computed : stored}
    FROM read_json('${file}', format = 'newline_delimited', columns = ${duckdbColumns}))
    TO '${target}' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 122880)`);
  await run(
    `CREATE VIEW comparison AS SELECT ${storesLeaves ? '*' : computed} FROM read_parquet('${target}')`,
  );
}

async function loadClickhouse(run: Run, file: string): Promise<void> {
  const stored =
    'side String, root_span_id String, span_parents Array(String), input String, scores JSON';
  const computed = scoreLeaves.map((leaf) => `${leaf.name} ALIAS ${clickhouseLeaf(leaf)}`);
  await run(`CREATE TABLE comparison (${stored}, is_root Bool ALIAS empty(span_parents),
    input_hash UInt64 MATERIALIZED cityHash64(input), ${computed.join(', ')}) ENGINE = MergeTree ORDER BY side`);
  await run(`INSERT INTO comparison (side, root_span_id, span_parents, input, scores)
    SELECT side, root_span_id, span_parents, input, scores FROM file('${file}', 'JSONEachRow', $$${stored}$$)
    SETTINGS input_format_json_read_objects_as_strings = 1`);
}

async function loadPostgres(run: Run, file: string): Promise<void> {
  const names = 'side, root_span_id, span_parents, input, scores';
  const columns = 'side text, root_span_id text, span_parents text[], input jsonb, scores jsonb';
  const computed = scoreLeaves.map((leaf) => `${postgresLeaf(leaf)} AS ${leaf.name}`);
  await run(
    `CREATE TABLE compared (${columns}, input_hash text GENERATED ALWAYS AS (md5(input::text)) STORED)`,
  );
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
  while (lines.length > 0)
    await run(
      `INSERT INTO compared (${names}) SELECT ${names} FROM json_to_recordset($1::json) AS batch(${columns})`,
      [`[${lines.splice(0, 1000).join(',')}]`],
    );
  await run(`CREATE VIEW comparison AS SELECT side, root_span_id, span_parents IS NULL AS is_root,
    input_hash, ${computed.join(', ')} FROM compared`);
  // Without it the join of traces with their roots is a nested loop over all of them.
  await run('CREATE INDEX ON compared (side, root_span_id) WHERE span_parents IS NULL');
  await run('VACUUM ANALYZE compared');
}

const loaders: Readonly<Record<string, (run: Run, file: string) => Promise<void>>> = {
  limit: (run, file) => loadDuckdb(run, file, true),
  'duckdb-json': (run, file) => loadDuckdb(run, file, false),
  clickhouse: loadClickhouse,
  postgres: loadPostgres,
};

/** Of a contender that takes SQL. */
export const loadSides = async ({ name, run }: Contender, file: string): Promise<void> => {
  if (run !== undefined) await loaders[name]?.(run, file);
};
