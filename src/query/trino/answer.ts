// The answers of Trino as rows of ours: cells as JSON values, and the query that reads them after they were kept in a file.
import { join, limitTo, numbered, sql, type Sql } from '../../duckdb/sql.js';
import type { CompiledQuery } from '../compile.js';
import { positionText } from '../cursor/query-cursor.js';
import { jsonText, valueRows, type OutputColumn } from '../sql/output.js';
import type { TrinoColumn } from './compile.js';
import type { Kind } from './value.js';

/** The types in which cells are kept. */
export const keptTypes = {
  boolean: 'BOOLEAN',
  null: 'BOOLEAN',
  number: 'DOUBLE',
  string: 'VARCHAR',
  timestamp: 'VARCHAR',
  strings: 'VARCHAR',
  json: 'VARCHAR',
} as const satisfies Record<Kind, string>;

/** @param cell as it is in a row of the protocol */
export function keptCell({ kind }: TrinoColumn, cell: unknown): unknown {
  // The protocol has texts for what JSON has no numbers for, and these are null in every answer.
  if (kind === 'number' && typeof cell === 'string') return null;
  return kind === 'strings' && cell !== null ? JSON.stringify(cell) : cell;
}

/** Whether a column can have values of the kind. */
const fits = ({ type }: OutputColumn, kind: Kind): boolean =>
  type === 'json' || kind === 'null' || kind === type;

export const fit = (outputs: readonly OutputColumn[], columns: readonly TrinoColumn[]): boolean =>
  outputs.every((output, index) => fits(output, columns[index]!.kind));

const at = (index: number): Sql => numbered('c', index);

function output(column: OutputColumn, kind: Kind, cell: Sql): Sql {
  const value = kind === 'timestamp' ? sql`CAST(${cell} AS TIMESTAMP)` : cell;
  if (column.type !== 'json' || kind === 'json' || kind === 'strings' || kind === 'null')
    return value;
  return jsonText({ name: column.name, type: kind }, value);
}

/**
 * The query whose rows are those of the answer.
 * @param query as it is for DuckDB
 * @param kept SELECT of the cells `c0`, `c1`, …, with `keptTypes`
 */
export function answeredBy(
  query: CompiledQuery,
  columns: readonly TrinoColumn[],
  kept: Sql,
): CompiledQuery {
  const { page } = query;
  const list = query.columns.map(
    (column, index) => sql`${output(column, columns[index]!.kind, at(index))} AS ${at(index)}`,
  );
  const select = (selected: readonly Sql[], limit: number | null): Sql =>
    sql`SELECT ${join(selected)} FROM (${kept})${limitTo(limit)}`;
  const [transaction, trace, position] = [0, 1, 2].map((index) => at(list.length + index));
  const place = () =>
    positionText({
      transaction: transaction!,
      trace: trace!,
      position: sql`CAST(${position!} AS BIGINT)`,
      members: [],
    });
  const rows = valueRows(query.columns, select(list, page?.size ?? null));
  return {
    ...query,
    rows,
    unordered: rows,
    valueRows: rows,
    page: page && {
      size: page.size,
      valueRows: valueRows(query.columns, select([...list, sql`${place()} AS place`], null), [
        sql`place`,
      ]),
    },
    cursorRow: null,
  };
}

/** ISO 8601 in UTC, with as many fractional digits as necessary, as DuckDB's side prints it. */
function timeText(text: string): string {
  const [, whole = '', micros = ''] = /^(.{10} .{8})(?:\.(\d+))?$/.exec(text) ?? [];
  const fraction = micros.padEnd(6, '0');
  const shown = fraction.endsWith('000') ? fraction.slice(0, 3) : fraction;
  return `${whole.replace(' ', 'T')}${/[1-9]/.test(shown) ? `.${shown}` : ''}Z`;
}

/** @param cell as it is in a row of the protocol */
export function jsonOf({ kind }: Pick<TrinoColumn, 'kind'>, cell: unknown): unknown {
  if (typeof cell !== 'string') return cell;
  if (kind === 'timestamp') return timeText(cell);
  // The protocol has texts for what JSON has no numbers for, and these are null in every answer.
  if (kind === 'number') return null;
  return kind === 'json' ? JSON.parse(cell) : cell;
}

/** Sums and means of numbers that are not whole agree to these digits. */
const sharedDigits = 13;

/** A text that is equal for equal values: fractions by the digits that both engines share. */
export const comparable = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'number' && !Number.isInteger(each)
      ? Number(each.toPrecision(sharedDigits))
      : each,
  );
