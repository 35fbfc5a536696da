// The selected rows of a table.
import { useRef, useState } from 'react';
import type { GridSelection } from '../../app/grid.js';
import type { RawRow } from '../../json/scan.js';

/**
 * @param query identifies the view: another one clears the selection
 * @param keyOf the key of a row
 */
export function useSelectedRows(
  query: string,
  rows: readonly RawRow[],
  keyOf: (row: RawRow) => string,
): GridSelection & { readonly chosen: readonly RawRow[]; readonly clear: () => void } {
  const [state, setState] = useState<{ query: string; keys: ReadonlySet<string> }>({
    query,
    keys: new Set(),
  });
  const last = useRef(0);
  const keys = state.query === query ? state.keys : new Set<string>();
  const set = (next: ReadonlySet<string>) => setState({ query, keys: next });
  const keyAt = (index: number) => keyOf(rows[index]!);
  const toggle = (index: number, isRange: boolean) => {
    const next = new Set(keys);
    const isChosen = !keys.has(keyAt(index));
    const from = isRange ? Math.min(last.current, rows.length - 1) : index;
    for (let at = Math.min(from, index); at <= Math.max(from, index); at += 1) {
      if (isChosen) next.add(keyAt(at));
      else next.delete(keyAt(at));
    }
    last.current = index;
    set(next);
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
