// A grid of rows of which only those in view are in the document. One row has the focus; arrows move it.
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import { Link } from '../../app/location.js';
import { useShortcuts } from '../../app/shortcuts.js';
import type { RawRow } from '../../json/scan.js';
import { Cell, isNumeric } from './cell.js';
import { columnName } from './view.js';
import { ColumnHead, type HeadActions } from './column-head.js';
import type { Column } from './columns.js';

/** The tokens' `--row`, in pixels. */
const rowHeight = 32;
const overscan = 8;
/** Rows from the end at which the next page is asked for. */
const ahead = 30;

export interface TableProps {
  readonly label: string;
  readonly columns: readonly Column[];
  readonly rows: readonly RawRow[];
  /** All rows of the view, loaded or not; null while it is not known. */
  readonly count: number | null;
  readonly selected: string | null;
  readonly hrefOf: (row: RawRow) => string;
  readonly keyOf: (row: RawRow) => string;
  readonly head: HeadActions;
  readonly hasMore: boolean;
  readonly loadMore: () => void;
  readonly isStale: boolean;
}

/** Where a key moves the focus to; null for other keys. */
function moved(key: string, from: number, last: number, page: number): number | null {
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: from + 1,
    ArrowUp: from - 1,
    PageDown: from + page,
    PageUp: from - page,
    Home: 0,
    End: last,
  };
  const to = steps[key];
  return to === undefined ? null : Math.min(Math.max(to, 0), last);
}

interface RowProps {
  readonly row: RawRow;
  readonly index: number;
  readonly top: number;
  readonly columns: readonly Column[];
  readonly href: string;
  readonly isSelected: boolean;
  readonly isActive: boolean;
  readonly onFocus: () => void;
}

const Row = ({ row, index, top, columns, href, isSelected, isActive, onFocus }: RowProps) => (
  <div
    role="row"
    aria-rowindex={index + 2}
    aria-selected={isSelected}
    className={row.get('failed') === 'true' ? 'grid-row failed' : 'grid-row'}
    style={{ transform: `translateY(${top}px)` }}
  >
    {columns.map(({ expression, kind }, place) => {
      const raw = row.get(columnName(place));
      const isNumber = kind === 'duration' || (kind === 'value' && isNumeric(raw));
      return (
        <div
          key={expression}
          role="gridcell"
          className={isNumber ? 'cell cut number' : kind === 'time' ? 'cell cut time' : 'cell cut'}
        >
          {place === 0 ? (
            <Link
              className="row-link"
              href={href}
              tabIndex={isActive ? 0 : -1}
              data-row={index}
              onFocus={onFocus}
            >
              <Cell kind={kind} raw={raw} />
            </Link>
          ) : (
            <Cell kind={kind} raw={raw} />
          )}
        </div>
      );
    })}
  </div>
);

export function Table(props: TableProps) {
  const { label, columns, rows, count, selected, hrefOf, keyOf, head, hasMore, loadMore } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState(0);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan,
  });
  const items = virtual.getVirtualItems();
  const lastShown = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasMore && lastShown > rows.length - ahead) loadMore();
  }, [hasMore, lastShown, rows.length, loadMore]);
  const focusRow = (index: number) => {
    setActive(index);
    virtual.scrollToIndex(index);
    // After the row has come into the document.
    requestAnimationFrame(() =>
      scroller.current?.querySelector<HTMLElement>(`[data-row="${index}"]`)?.focus(),
    );
  };
  const step = (by: number) => () => focusRow(Math.min(Math.max(active + by, 0), rows.length - 1));
  useShortcuts([
    { key: 'j', label: 'Next row', run: step(1) },
    { key: 'k', label: 'Previous row', run: step(-1) },
  ]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (!(event.target as HTMLElement).classList.contains('row-link')) return;
    const page = Math.floor((scroller.current?.clientHeight ?? 0) / rowHeight) - 1;
    const to = moved(event.key, active, rows.length - 1, page);
    if (to === null) return;
    event.preventDefault();
    focusRow(to);
  };
  const template = columns.map(({ width }) => width).join(' ');
  return (
    <div
      ref={scroller}
      className={props.isStale ? 'grid-scroll stale' : 'grid-scroll'}
      role="grid"
      aria-label={label}
      aria-rowcount={count === null ? -1 : count + 1}
      aria-colcount={columns.length}
      aria-busy={props.isStale}
      tabIndex={rows.length === 0 ? 0 : -1}
      style={{ ['--columns' as string]: template }}
      onKeyDown={onKeyDown}
    >
      <div className="grid-head" role="row" aria-rowindex={1}>
        {columns.map((column) => (
          <ColumnHead key={column.expression} column={column} actions={head} />
        ))}
      </div>
      <div className="grid-body" role="rowgroup" style={{ height: virtual.getTotalSize() }}>
        {items.map(({ index, start }) => {
          const row = rows[index]!;
          return (
            <Row
              key={keyOf(row)}
              row={row}
              index={index}
              top={start}
              columns={columns}
              href={hrefOf(row)}
              isSelected={selected !== null && keyOf(row) === selected}
              isActive={index === Math.min(active, rows.length - 1)}
              onFocus={() => setActive(index)}
            />
          );
        })}
      </div>
    </div>
  );
}
