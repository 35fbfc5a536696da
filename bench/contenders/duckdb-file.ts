// The two contenders that are DuckDB over one Parquet file: typed columns (the limit), and JSON text.
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import type { Dataset } from '../generator/dataset.js';
import type { Contender, Surroundings } from './contender.js';
import { jsonTextColumns, plainColumns, type LeafColumn, type LeafType } from './leaf-columns.js';

const sqlTypes = { number: 'DOUBLE', text: 'VARCHAR', flag: 'BOOLEAN' } as const satisfies Record<
  LeafType,
  string
>;

const jsonTypes = {
  number: "('DOUBLE', 'UBIGINT', 'BIGINT')",
  text: "('VARCHAR')",
  flag: "('BOOLEAN')",
} as const satisfies Record<LeafType, string>;

function leafSql({ column, path: steps, type, isMixed }: LeafColumn): string {
  const place = `'$${steps.map((step) => `."${step}"`).join('')}'`;
  const text = `${column}->>${place}`;
  const value = type === 'text' ? `(${text})` : `TRY_CAST(${text} AS ${sqlTypes[type]})`;
  return isMixed
    ? `CASE WHEN json_type(${column}, ${place}) IN ${jsonTypes[type]} THEN ${value} END`
    : value;
}

/** With a comma before each. */
export const leafList = (leaves: readonly LeafColumn[]): string =>
  leaves.map((leaf) => `, ${leafSql(leaf)} AS ${leaf.name}`).join('');
const eventColumns = [...plainColumns, ...jsonTextColumns].join(', ');

/** The lines of the dataset; JSON columns hold their text. */
const linesSql = (dataset: Dataset): string => {
  const types = {
    id: 'VARCHAR',
    created: 'TIMESTAMP',
    span_id: 'VARCHAR',
    root_span_id: 'VARCHAR',
    span_parents: 'VARCHAR[]',
    tags: 'VARCHAR[]',
    ...Object.fromEntries(jsonTextColumns.map((column) => [column, 'JSON'])),
  };
  const columns = Object.entries(types).map(([name, type]) => `${name}: '${type}'`);
  return `read_json('${dataset.path}', format = 'newline_delimited', columns = {${columns.join(', ')}},
    maximum_object_size = 268435456)`;
};

const textColumns = jsonTextColumns.map((column) => `${column}::VARCHAR AS ${column}`).join(', ');
/** As DuckDB makes them unless told otherwise: what a person writing such a file by hand would get. */
const parquetOptions = '(FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 122880)';

interface Layout {
  readonly name: 'limit' | 'duckdb-json';
  readonly title: string;
  /** The file has the leaves as columns; otherwise they are computed when they are asked for. */
  readonly storesLeaves: boolean;
}

const layouts = {
  limit: { name: 'limit', title: 'the limit', storesLeaves: true },
  'duckdb-json': { name: 'duckdb-json', title: 'DuckDB, JSON text', storesLeaves: false },
} as const satisfies Record<string, Layout>;

async function openInstance({
  directory,
  threads,
  memoryMb,
}: Surroundings): Promise<DuckDBInstance> {
  return DuckDBInstance.create(':memory:', {
    threads: String(threads),
    memory_limit: `${memoryMb}MB`,
    temp_directory: path.join(directory, 'tmp'),
  });
}

async function writeFile(
  connection: DuckDBConnection,
  dataset: Dataset,
  file: string,
  leaves: string,
  { storesLeaves }: Layout,
): Promise<void> {
  const [stored, computed] = storesLeaves ? [leaves, ''] : ['', leaves];
  const rows = `SELECT ${plainColumns.join(', ')}, ${textColumns}${stored} FROM ${linesSql(dataset)}`;
  await connection.run(`COPY (${rows}) TO '${file}' ${parquetOptions}`);
  await connection.run(
    `CREATE OR REPLACE VIEW event AS SELECT *${computed} FROM read_parquet('${file}')`,
  );
}

export async function openDuckdbFile(
  name: Layout['name'],
  surroundings: Surroundings,
): Promise<Contender> {
  const layout = layouts[name];
  const instance = await openInstance(surroundings);
  const connection = await instance.connect();
  await connection.run('SET parquet_metadata_cache = true');
  const file = path.join(surroundings.directory, 'events.parquet');
  const leaves = leafList(surroundings.leaves);
  const version = (await connection.runAndReadAll('SELECT version()')).value(0, 0);
  return {
    name,
    title: layout.title,
    version: `DuckDB ${String(version)}`,
    insert: (dataset) => writeFile(connection, dataset, file, leaves, layout),
    run: (sql) => connection.run(sql),
    settle: async () => {},
    answer: async ({ duckdb }) => (await connection.runAndReadAll(duckdb)).getRowObjectsJS(),
    exportParquet: async (target) => {
      await connection.run(
        `COPY (SELECT ${eventColumns} FROM event) TO '${target}' ${parquetOptions}`,
      );
    },
    bytesOnDisk: async () => (await stat(file)).size,
    close: async () => {
      connection.closeSync();
      instance.closeSync();
    },
  };
}
