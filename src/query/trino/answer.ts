// The cells of Trino's answers as JSON values of ours.
import type { TrinoColumn } from './compile.js';

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
