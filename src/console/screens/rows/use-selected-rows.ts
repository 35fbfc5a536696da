// The selected rows of a table.
import { useState } from 'react';
import type { GridSelection } from '../../kit/grid.js';
import type { RawRow } from '../../json/scan.js';

type Rows = ReadonlyMap<string, RawRow>;

interface Selected {
  /** Identifies the view. */
  readonly query: string;
  /** By key. They stay selected when they are no longer loaded. */
  readonly chosen: Rows;
  /** The key of the row that was selected or deselected last. */
  readonly last: string | null;
}

const none: Omit<Selected, 'query'> = { chosen: new Map(), last: null };

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
  const { chosen, last } = state.query === query ? state : none;
  const set = (next: Rows, end: string | null = null) =>
    setState({ query, chosen: next, last: end });
  const keyAt = (index: number) => keyOf(rows[index]!);
  const toggle = (index: number, isRange: boolean) => {
    const next = new Map(chosen);
    const isChosen = !chosen.has(keyAt(index));
    const found = isRange ? rows.findIndex((row) => keyOf(row) === last) : -1;
    const from = found < 0 ? index : found;
    for (let at = Math.min(from, index); at <= Math.max(from, index); at += 1) {
      if (isChosen) next.set(keyAt(at), rows[at]!);
      else next.delete(keyAt(at));
    }
    set(next, keyAt(index));
  };
  const { size } = chosen;
  return {
    chosen: [...chosen.values()],
    count: size,
    isAll: size > 0 && rows.every((row) => chosen.has(keyOf(row))),
    isChosen: (index) => size > 0 && chosen.has(keyAt(index)),
    toggle,
    toggleAll: () =>
      set(size > 0 ? new Map() : new Map(rows.map((row): [string, RawRow] => [keyOf(row), row]))),
    clear: () => set(new Map()),
  };
}
