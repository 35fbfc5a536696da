// The rows that were read last, in memory: a merge reads a row twice, its version first and then its content.
import { LRUCache } from 'lru-cache';
import { textLength } from '../row/event-table.js';
import type { SegmentRow } from './row-text.js';

const rowsMax = 2000;

/** The length of all texts, in UTF-16 code units. */
export const recentLengthMax = 16 * 2 ** 20;

export class RecentRows {
  readonly #rows = new LRUCache<string, SegmentRow>({
    max: rowsMax,
    maxSize: recentLengthMax,
    sizeCalculation: ({ values }) => 1 + textLength(values),
  });

  /** Null if one of the rows is not there. */
  get(source: number, rowNumbers: readonly number[]): readonly SegmentRow[] | null {
    const found = rowNumbers.map((row) => this.#rows.get(keyOf(source, row)));
    return found.every((row) => row !== undefined) ? found : null;
  }

  add(source: number, rows: readonly SegmentRow[]): void {
    for (const row of rows) this.#rows.set(keyOf(source, row.row), row);
  }
}

const keyOf = (source: number, row: number): string => `${source}-${row}`;
