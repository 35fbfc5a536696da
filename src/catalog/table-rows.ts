// Rows of several tables, written with few statements: one for each row would take a hundred times as long.
import { join, sql, word, type Sql, type SqlValue } from '../duckdb/sql.js';

const typeNames = { V: 'VARCHAR', I: 'BIGINT', B: 'BOOLEAN' } as const;

/** A statement that writes rows. */
export interface TableWrite {
  /** The types of the values of a row, one letter for each: a string, a bigint, a boolean. Each can be null. */
  readonly types: string;
  /** `rows` is a query for the rows. */
  readonly statement: (rows: Sql) => Sql;
}

export interface TableRow {
  readonly write: TableWrite;
  readonly values: readonly (string | bigint | boolean | null)[];
}

/** The number of rows that a statement writes. */
const rowsTogether = 1_000;

/** Up to this number, a parameter for each value is faster, otherwise a list for each column: for 1,000 rows in a quarter of the time. */
const fewRows = 10;

const parenthesised = (values: readonly SqlValue[]): Sql =>
  sql`(${join(values.map((value) => sql`${value}`))})`;

function queryOf({ types }: TableWrite, rows: readonly TableRow['values'][]): Sql {
  if (rows.length <= fewRows) return sql`VALUES ${join(rows.map(parenthesised))}`;
  const columns = Array.from(types, (type, column) => {
    const texts = rows.map((values) => values[column]?.toString() ?? null);
    return sql`unnest(${texts}::${word(typeNames[type as keyof typeof typeNames])}[])`;
  });
  return sql`SELECT ${join(columns)}`;
}

/** The statements that write the rows, table by table in the order of their first rows. */
export function* statementsOf(rows: Iterable<TableRow>): Generator<Sql, void> {
  const byTable = new Map<TableWrite, TableRow['values'][]>();
  for (const { write, values } of rows) {
    const table = byTable.get(write);
    if (table === undefined) byTable.set(write, [values]);
    else table.push(values);
  }
  for (const [write, all] of byTable)
    for (let start = 0; start < all.length; start += rowsTogether)
      yield write.statement(queryOf(write, all.slice(start, start + rowsTogether)));
}
