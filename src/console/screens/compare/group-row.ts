// The rows of a comparison: each is an input, or a group of them, with the traces of each experiment.
import { plainText, type RawRow } from '../../json/scan.js';

/** The row of an experiment; null if it has none. */
export const idOf = (row: RawRow, index: number): string | null => {
  const raw = row.get(`id${index}`) ?? 'null';
  return raw === 'null' ? null : plainText(raw);
};

/** Identifies a group in the URL by the first experiment that has it and its row there, since ids of two experiments can be equal. */
export const keyOf = (row: RawRow, count: number): string => {
  const ids = Array.from({ length: count }, (_, index) => idOf(row, index));
  const place = ids.findIndex((id) => id !== null);
  return `${place}:${ids[place] ?? ''}`;
};

/** The input if some experiment has several rows with it; else null. */
export const trialsOf = (row: RawRow, count: number): string | null =>
  Array.from({ length: count }, (_, place) => Number(row.get(`n${place}`))).some((n) => n > 1)
    ? (row.get('value') ?? 'null')
    : null;
