// The rows of a project's segments as a table in the memory of a cluster.
import { readdirSync } from 'node:fs';
import { DuckDBInstance, DuckDBListValue, type DuckDBValue } from '@duckdb/node-api';
import { identifier, join, sql, word, type Sql } from '../../src/duckdb/sql.js';
import { statementText } from '../../src/query/trino/statement.js';
import { tableNamed } from '../../src/query/trino/table.js';
import type { RunningTrino } from './running-trino.js';

const types: Readonly<Record<string, Sql>> = {
  VARCHAR: sql`varchar`,
  UUID: sql`varchar`,
  DOUBLE: sql`double`,
  BIGINT: sql`bigint`,
  INTEGER: sql`integer`,
  BOOLEAN: sql`boolean`,
  TIMESTAMP: sql`timestamp(6)`,
  'VARCHAR[]': sql`array(varchar)`,
};

function cell(value: DuckDBValue, type: string): Sql {
  if (value === null) return sql`NULL`;
  if (value instanceof DuckDBListValue)
    return sql`CAST(ARRAY[${join(value.items.map((item) => sql`${String(item)}`))}] AS array(varchar))`;
  if (typeof value === 'number') return type === 'DOUBLE' ? sql`${value}` : word(value);
  if (typeof value === 'bigint' || typeof value === 'boolean') return sql`${value}`;
  return type === 'TIMESTAMP' ? sql`CAST(${String(value)} AS timestamp(6))` : sql`${String(value)}`;
}

/** Of a statement. */
const rowsMax = 60;

/** @param directory the data directory of a server that has no dead rows, and none in its buffer */
export async function loadTable(
  { rows: ask }: RunningTrino,
  directory: string,
  projectId: string,
): Promise<void> {
  const folder = `${directory}/segments/project_id=${projectId}`;
  const files = readdirSync(folder).filter((name) => /^\d+\.parquet$/.test(name));
  const list = files.map((name) => `'${folder}/${name}'`).join();
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  const reader = await connection.runAndReadAll(
    `SELECT * FROM read_parquet([${list}], union_by_name = true, hive_partitioning = false)`,
  );
  const columnTypes = reader.columnTypes().map(String);
  const columns = reader
    .columnNames()
    .map(
      (name, index) => sql`${identifier(name)} ${types[columnTypes[index] ?? ''] ?? sql`varchar`}`,
    );
  const table = tableNamed('memory', projectId, 'events');
  await ask(statementText(sql`CREATE SCHEMA memory.${identifier(projectId)}`));
  await ask(statementText(sql`CREATE TABLE ${table} (${join(columns)})`));
  const rows = reader.getRows();
  for (let start = 0; start < rows.length; start += rowsMax) {
    const some = rows.slice(start, start + rowsMax).map((row) => {
      const cells = row.map((value, index) => cell(value, columnTypes[index] ?? ''));
      return sql`(${join(cells)})`;
    });
    await ask(statementText(sql`INSERT INTO ${table} VALUES ${join(some)}`));
  }
}
