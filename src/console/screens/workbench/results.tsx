// The answer to a query: a table of which only the rows in view are in the document, and a chart where one fits.
import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef, useState } from 'react';
import { isContainer, type RawRow } from '../../json/scan.js';
import { Cell, isNumeric } from '../rows/cell.js';
import { Value } from '../value/value.js';
import { BarChart } from './bar-chart.js';
import { chartOf } from './chart.js';

const rowHeight = 32;

function columnsOf(rows: readonly RawRow[]): readonly string[] {
  return [...new Set(rows.flatMap((row) => [...row.keys()]))];
}

function ResultTable({
  rows,
  selected,
  select,
}: {
  readonly rows: readonly RawRow[];
  readonly selected: number | null;
  readonly select: (index: number) => void;
}) {
  const columns = columnsOf(rows);
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 8,
  });
  return (
    <div
      ref={scroller}
      className="grid-scroll results panel"
      role="grid"
      aria-label="Result"
      aria-rowcount={rows.length + 1}
      aria-colcount={columns.length}
      style={{ ['--columns' as string]: `repeat(${columns.length}, minmax(9rem, 1fr))` }}
    >
      <div className="grid-head" role="row" aria-rowindex={1}>
        {columns.map((name) => (
          <div key={name} role="columnheader" className="head-cell plain cut" title={name}>
            {name}
          </div>
        ))}
      </div>
      <div className="grid-body" role="rowgroup" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const row = rows[index]!;
          return (
            <div
              key={index}
              role="row"
              aria-rowindex={index + 2}
              aria-selected={selected === index}
              className="grid-row"
              style={{ transform: `translateY(${start}px)` }}
            >
              {columns.map((name, place) => {
                const raw = row.get(name);
                const content = <Cell kind={isContainer(raw ?? '') ? 'text' : 'value'} raw={raw} />;
                return (
                  <div
                    key={name}
                    role="gridcell"
                    className={isNumeric(raw) ? 'cell cut number' : 'cell cut'}
                  >
                    {place === 0 ? (
                      <button type="button" className="row-link" onClick={() => select(index)}>
                        {content}
                      </button>
                    ) : (
                      content
                    )}
                  </div>
                );
              })}
            </div>
          );
        })}
      </div>
    </div>
  );
}

const objectText = (row: RawRow): string =>
  `{${[...row].map(([name, raw]) => `${JSON.stringify(name)}:${raw}`).join(',')}}`;

export function Results({ rows }: { readonly rows: readonly RawRow[] }) {
  const [selected, setSelected] = useState<number | null>(null);
  const chart = chartOf(rows);
  if (rows.length === 0) return <p className="loading">The query has no rows.</p>;
  const row = selected === null ? undefined : rows[selected];
  return (
    <>
      {chart !== null && <BarChart chart={chart} />}
      <ResultTable rows={rows} selected={selected} select={setSelected} />
      {row !== undefined && (
        <section className="panel row-detail" aria-label="Row">
          <div className="dialog-head">
            <h2>Row {selected! + 1}</h2>
            <button type="button" className="small" onClick={() => setSelected(null)}>
              Close
            </button>
          </div>
          <Value label="Row" raw={objectText(row)} />
        </section>
      )}
    </>
  );
}
