// The inputs of a comparison, of which only those in view are in the document.
import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef, useState, type KeyboardEvent } from 'react';
import { Link } from '../../app/location.js';
import { useShortcuts } from '../../app/shortcuts.js';
import type { RawRow } from '../../json/scan.js';
import type { Experiment } from '../../server/objects.js';
import { Cell } from '../rows/cell.js';

interface GroupsProps {
  readonly rows: readonly RawRow[];
  readonly experiments: readonly Experiment[];
  readonly selected: string | null;
  readonly keyOf: (row: RawRow) => string;
  readonly hrefOf: (row: RawRow) => string;
  readonly isStale: boolean;
}

const rowHeight = 32;

function Change({ raw }: { readonly raw: string | undefined }) {
  if (raw === undefined || raw === 'null') return <span className="muted">–</span>;
  const value = Number(raw);
  if (value === 0) return <span className="muted">0</span>;
  const text = String(Math.abs(Number(value.toPrecision(4))));
  return value > 0 ? (
    <span className="good">▲ +{text}</span>
  ) : (
    <span className="bad">▼ −{text}</span>
  );
}

const Scores = ({ row, count }: { readonly row: RawRow; readonly count: number }) => (
  <>
    {Array.from({ length: count }, (_, index) => {
      const trials = Number(row.get(`n${index}`) ?? 0);
      return (
        <div key={index} role="gridcell" className="cell number">
          {trials > 1 && (
            <span className="chip" title="Mean of as many traces">
              {trials} ×
            </span>
          )}{' '}
          <Cell kind="value" raw={row.get(`s${index}`)} />{' '}
          {index > 0 && <Change raw={row.get(`d${index}`)} />}
        </div>
      );
    })}
  </>
);

export function Groups(props: GroupsProps) {
  const { rows, experiments, selected, keyOf, hrefOf, isStale } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState(0);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 8,
  });
  const focusRow = (to: number) => {
    const index = Math.min(Math.max(to, 0), rows.length - 1);
    setActive(index);
    virtual.scrollToIndex(index);
    requestAnimationFrame(() =>
      scroller.current?.querySelector<HTMLElement>(`[data-row="${index}"]`)?.focus(),
    );
  };
  useShortcuts([
    { key: 'j', label: 'Next row', run: () => focusRow(active + 1) },
    { key: 'k', label: 'Previous row', run: () => focusRow(active - 1) },
  ]);
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: active + 1,
    ArrowUp: active - 1,
    Home: 0,
    End: rows.length - 1,
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const to = steps[event.key];
    if (to === undefined) return;
    event.preventDefault();
    focusRow(to);
  };
  return (
    <div
      ref={scroller}
      className={isStale ? 'grid-scroll stale' : 'grid-scroll'}
      role="grid"
      aria-label="Inputs"
      aria-rowcount={rows.length + 1}
      aria-colcount={experiments.length + 1}
      style={{
        ['--columns' as string]: `minmax(14rem, 4fr) repeat(${experiments.length}, minmax(9rem, 1fr))`,
      }}
      onKeyDown={onKeyDown}
    >
      <div className="grid-head" role="row" aria-rowindex={1}>
        <div role="columnheader" className="head-cell plain">
          Input
        </div>
        {experiments.map(({ id, name }, index) => (
          <div key={id} role="columnheader" className="head-cell plain number cut" title={name}>
            {name}
            {index === 0 && ' (baseline)'}
          </div>
        ))}
      </div>
      <div className="grid-body" role="rowgroup" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const row = rows[index]!;
          return (
            <div
              key={keyOf(row)}
              role="row"
              aria-rowindex={index + 2}
              aria-selected={keyOf(row) === selected}
              className="grid-row"
              style={{ transform: `translateY(${start}px)` }}
            >
              <div role="gridcell" className="cell cut">
                <Link
                  className="row-link"
                  href={hrefOf(row)}
                  tabIndex={index === Math.min(active, rows.length - 1) ? 0 : -1}
                  data-row={index}
                  onFocus={() => setActive(index)}
                >
                  <Cell kind="text" raw={row.get('input')} />
                </Link>
              </div>
              <Scores row={row} count={experiments.length} />
            </div>
          );
        })}
      </div>
    </div>
  );
}
