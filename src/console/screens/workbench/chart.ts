// Selects the chart of an answer: a category or a time, then numbers.
import { plainText, type RawRow } from '../../json/scan.js';
import { isNumeric } from '../rows/cell.js';

export interface Series {
  readonly name: string;
  /** Null for values other than numbers. */
  readonly values: readonly (number | null)[];
}

export interface Chart {
  readonly by: string;
  readonly labels: readonly string[];
  readonly series: readonly Series[];
}

const barsMax = 200;
const seriesMax = 4;

const isNumberOrNull = (raw: string | undefined): boolean =>
  raw === undefined || raw === 'null' || isNumeric(raw);

const valueOf = (row: RawRow, name: string): number | null => {
  const raw = row.get(name);
  return isNumeric(raw) ? Number(raw) : null;
};

/** Returns null if no chart fits, for example for rows that are not groups. */
export function chartOf(rows: readonly RawRow[]): Chart | null {
  const [first] = rows;
  if (first === undefined || rows.length < 2 || rows.length > barsMax) return null;
  const [by, ...others] = [...first.keys()];
  if (by === undefined || others.length === 0 || by === 'id') return null;
  const numbers = others.filter(
    (name) =>
      rows.every((row) => isNumberOrNull(row.get(name))) &&
      rows.some((row) => isNumeric(row.get(name))),
  );
  if (numbers.length < others.length || numbers.length > seriesMax) return null;
  return {
    by,
    labels: rows.map((row) => plainText(row.get(by) ?? 'null')),
    series: numbers.map((name) => ({ name, values: rows.map((row) => valueOf(row, name)) })),
  };
}
