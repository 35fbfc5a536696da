// The selected rows of a table.
import { useState } from 'react';
import type { GridSelection } from '../../app/grid.js';
import type { RawRow } from '../../json/scan.js';

interface Selected {
  /** Identifies the view. */
  readonly query: string;
  readonly keys: ReadonlySet<string>;
  /** The key of the row that was selected or deselected last. */
  readonly last: string | null;
}

const none: Omit<Selected, 'query'> = { keys: new Set(), last: null };

/**
 * @param query identifies the view: another one clears the selection
 * @param keyOf the key of a row
 */
export function useSelectedRows(
  query: string,
  rows: readonly RawRow[],
  keyOf: (row: RawRow) => string,
): GridSelection & { readonly chosen: readonly RawRow[]; readonly clear: () => void } {
  const [state, setState] = useState<Selected>({ query, ...none });
  const { keys, last } = state.query === query ? state : none;
  const set = (next: ReadonlySet<string>, end: string | null = null) =>
    setState({ query, keys: next, last: end });
  const keyAt = (index: number) => keyOf(rows[index]!);
  const toggle = (index: number, isRange: boolean) => {
    const next = new Set(keys);
    const isChosen = !keys.has(keyAt(index));
    const found = isRange ? rows.findIndex((row) => keyOf(row) === last) : -1;
    const from = found < 0 ? index : found;
    for (let at = Math.min(from, index); at <= Math.max(from, index); at += 1) {
      if (isChosen) next.add(keyAt(at));
      else next.delete(keyAt(at));
    }
    set(next, keyAt(index));
  };
  return {
    chosen: keys.size === 0 ? [] : rows.filter((row) => keys.has(keyOf(row))),
    count: keys.size,
    isAll: keys.size > 0 && rows.every((row) => keys.has(keyOf(row))),
    isChosen: (index) => keys.size > 0 && keys.has(keyAt(index)),
    toggle,
    toggleAll: () => set(keys.size > 0 ? new Set() : new Set(rows.map(keyOf))),
    clear: () => set(new Set()),
  };
}
