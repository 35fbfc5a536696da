// A virtualised grid of rows. One row has the focus; arrows, j and k move it.
import { useVirtualizer } from '@tanstack/react-virtual';
import {
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
} from 'react';
import { useScrollPosition } from './scroll-position.js';
import { useShortcuts, type Shortcut } from './shortcuts.js';

/** The value of the style token `--row`, in pixels. */
const rowHeight = 32;
const overscan = 8;

/** For the link or button that takes the focus of a row. */
export interface RowFocus {
  readonly className: 'row-link';
  readonly tabIndex: 0 | -1;
  readonly 'data-row': number;
  readonly onFocus: () => void;
}

export interface GridRow {
  readonly key: string;
  readonly className?: string | undefined;
  readonly isSelected: boolean;
  readonly cells: ReactNode;
}

export interface GridProps {
  readonly label: string;
  /** Identifies the rows: others are shown from the first one. */
  readonly identity?: string;
  readonly className?: string;
  /** CSS widths of the columns. */
  readonly widths: readonly string[];
  /** The minimum width in rem; below it the grid scrolls horizontally. */
  readonly minWidth: number;
  readonly head: ReactNode;
  readonly count: number;
  /** The number of all rows, loaded or not; null if unknown. */
  readonly total: number | null;
  readonly isStale: boolean;
  readonly rowAt: (index: number, focus: RowFocus) => GridRow;
  /** Called with the last row in view. */
  readonly onReach?: (index: number) => void;
  /** The selection, with a column of check boxes. */
  readonly choice?: GridSelection | undefined;
}

export interface GridSelection {
  readonly count: number;
  /** Whether every loaded row is chosen. */
  readonly isAll: boolean;
  readonly isChosen: (index: number) => boolean;
  /** @param isRange whether to select the rows between this one and the last selected one, too */
  readonly toggle: (index: number, isRange: boolean) => void;
  readonly toggleAll: () => void;
}

const ChoiceHead = ({ count, isAll, toggleAll }: GridSelection) => (
  <div role="columnheader" className="head-cell choice-cell">
    <input
      type="checkbox"
      aria-label="Select all loaded rows"
      checked={isAll}
      ref={(box) => {
        if (box !== null) box.indeterminate = count > 0 && !isAll;
      }}
      onChange={toggleAll}
    />
  </div>
);

const ChoiceCell = ({ choice, index }: { choice: GridSelection; index: number }) => (
  <div role="gridcell" className="cell choice-cell">
    <input
      type="checkbox"
      tabIndex={-1}
      aria-label="Select the row"
      checked={choice.isChosen(index)}
      onClick={(event) => choice.toggle(index, event.shiftKey)}
      onChange={() => {}}
    />
  </div>
);

const choiceKeys = (choice: GridSelection | undefined, index: number): readonly Shortcut[] =>
  choice === undefined
    ? []
    : [{ key: 'x', label: 'Select the row', run: () => choice.toggle(index, false) }];

/** Moves the focus between column heads. */
function moveHead(target: HTMLElement, key: string): boolean {
  const step = key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0;
  if (step === 0) return false;
  const heads = [...(target.closest('.grid-head')?.querySelectorAll<HTMLElement>('button') ?? [])];
  const next = heads[heads.indexOf(target) + step];
  next?.focus();
  return next !== undefined;
}

/** Selects the row if the key does that; returns whether it does. */
function selectsRow(event: KeyboardEvent, choice: GridSelection | undefined, index: number) {
  if (event.key !== ' ' || choice === undefined) return false;
  choice.toggle(index, event.shiftKey);
  return true;
}

/** The row to which a key moves the focus; undefined for other keys. */
const movesOf = (from: number, last: number, page: number): Readonly<Record<string, number>> => ({
  ArrowDown: from + 1,
  ArrowUp: from - 1,
  PageDown: from + page,
  PageUp: from - page,
  Home: 0,
  End: last,
});

/** Returns whether the row is in the document. */
function focusLink(grid: HTMLElement | null, index: number): boolean {
  const link = grid?.querySelector<HTMLElement>(`[data-row="${index}"]`);
  link?.focus();
  return link != null;
}

/** The row whose link has the focus; null if none has it. */
function focusedRow(grid: HTMLElement | null): number | null {
  const link = grid?.querySelector<HTMLElement>('.row-link:focus');
  return link == null ? null : Number(link.dataset['row']);
}

/**
 * The row that receives the focus on Tab (roving tabindex). The focus stays on its row, which moves when others arrive above it.
 */
function useActiveRow(grid: RefObject<HTMLElement | null>) {
  const [active, setActive] = useState(0);
  const focused = useRef(0);
  const onFocus = (row: number) => {
    focused.current = row;
    setActive(row);
  };
  useLayoutEffect(() => {
    const row = focusedRow(grid.current);
    if (row !== null && row !== focused.current) onFocus(row);
  });
  return [active, setActive, onFocus] as const;
}

/** Replaces an active row that was scrolled out of the document, where it cannot get the focus, with one in view. */
function useReachable(
  grid: RefObject<HTMLElement | null>,
  virtual: ReturnType<typeof useVirtualizer<HTMLDivElement, Element>>,
  active: number,
  setActive: (row: number) => void,
) {
  const { range } = virtual;
  const isReachable = virtual.getVirtualItems().some(({ index }) => index === active);
  useLayoutEffect(() => {
    if (!isReachable && range !== null && focusedRow(grid.current) === null)
      setActive(range.startIndex);
  });
}

export function Grid(props: GridProps) {
  const { label, className = '', widths, minWidth, head, count, total, isStale, rowAt } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const [wanted, setActive, onFocus] = useActiveRow(scroller);
  const active = Math.min(wanted, count - 1);
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan,
  });
  useScrollPosition(scroller, props.identity ?? '', () => setActive(0));
  const items = virtual.getVirtualItems();
  useReachable(scroller, virtual, active, setActive);
  const lastShown = items.at(-1)?.index ?? 0;
  const { choice, onReach } = props;
  useEffect(() => onReach?.(lastShown), [onReach, lastShown, count]);
  const focusRow = (to: number) => {
    const index = Math.min(Math.max(to, 0), count - 1);
    setActive(index);
    virtual.scrollToIndex(index);
    // At once if it is in the document, so that the next key acts on it.
    if (!focusLink(scroller.current, index))
      requestAnimationFrame(() => focusLink(scroller.current, index));
  };
  const columns = choice === undefined ? widths : ['2.5rem', ...widths];
  const focusHead = () => scroller.current?.querySelector<HTMLElement>('.head-button')?.focus();
  useShortcuts([
    ...choiceKeys(choice, active),
    { key: 'f', label: 'Column headers: order and most frequent values', run: focusHead },
    { key: 'j', label: 'Next row', run: () => focusRow(active + 1) },
    { key: 'k', label: 'Previous row', run: () => focusRow(active - 1) },
  ]);
  const onKeyDown = (event: KeyboardEvent) => {
    const target = event.target as HTMLElement;
    if (target.classList.contains('head-button') && moveHead(target, event.key))
      event.preventDefault();
    if (!target.classList.contains('row-link')) return;
    if (selectsRow(event, choice, active)) event.preventDefault();
    const page = Math.floor((scroller.current?.clientHeight ?? 0) / rowHeight) - 1;
    const to = movesOf(active, count - 1, page)[event.key];
    if (to === undefined) return;
    event.preventDefault();
    focusRow(to);
  };
  const focusOf = (index: number): RowFocus => ({
    className: 'row-link',
    tabIndex: index === active ? 0 : -1,
    'data-row': index,
    onFocus: () => onFocus(index),
  });
  return (
    <div
      ref={scroller}
      className={`grid-scroll ${className} ${isStale ? 'stale' : ''}`}
      role="grid"
      aria-label={label}
      aria-rowcount={total === null ? -1 : total + 1}
      aria-colcount={columns.length}
      aria-busy={isStale}
      style={{
        ['--columns' as string]: columns.join(' '),
        ['--grid-min' as string]: `${minWidth}rem`,
      }}
      onKeyDown={onKeyDown}
    >
      <div className="grid-head" role="row" aria-rowindex={1}>
        {choice !== undefined && <ChoiceHead {...choice} />}
        {head}
      </div>
      <div className="grid-body" role="rowgroup" style={{ height: virtual.getTotalSize() }}>
        {items.map(({ index, start }) => {
          const { key, className: own = '', isSelected, cells } = rowAt(index, focusOf(index));
          return (
            <div
              key={key}
              role="row"
              aria-rowindex={index + 2}
              aria-selected={isSelected}
              className={`grid-row ${own}`}
              style={{ transform: `translateY(${start}px)` }}
            >
              {choice !== undefined && <ChoiceCell choice={choice} index={index} />}
              {cells}
            </div>
          );
        })}
      </div>
    </div>
  );
}
