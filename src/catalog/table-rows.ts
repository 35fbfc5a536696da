// Rows of several tables, written with few statements: one for each row would take a hundred times as long.
import { join, type Sql } from '../duckdb/sql.js';

/** A row to write, and the statement that writes it with others for which `write` is the same function. */
export interface TableRow {
  readonly write: (rows: Sql) => Sql;
  /** Its part of the statement, such as the values in parentheses. */
  readonly row: Sql;
}

/** The number of rows that a statement writes. */
const rowsTogether = 100;

/** The statements that write the rows, table by table in the order of their first rows. */
export function* statementsOf(rows: Iterable<TableRow>): Generator<Sql, void> {
  const byTable = new Map<TableRow['write'], Sql[]>();
  for (const { write, row } of rows) {
    const table = byTable.get(write);
    if (table === undefined) byTable.set(write, [row]);
    else table.push(row);
  }
  for (const [write, all] of byTable)
    for (let start = 0; start < all.length; start += rowsTogether)
      yield write(join(all.slice(start, start + rowsTogether)));
}
