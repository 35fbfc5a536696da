// The answer to a query: a virtualised table, and a chart if one fits.
import { useState } from 'react';
import { Grid, type RowFocus } from '../../kit/grid.js';
import { isContainer, objectText, type RawRow } from '../../json/scan.js';
import { Cell, isNumberColumn } from '../rows/cell.js';
import { Value } from '../value/value.js';
import { BarChart } from './bar-chart.js';
import { chartOf } from './chart.js';

/** In rem. */
const columnMin = 9;

interface ResultColumn {
  readonly name: string;
  readonly isNumber: boolean;
}

const columnsOf = (rows: readonly RawRow[]): readonly ResultColumn[] =>
  [...new Set(rows.flatMap((row) => [...row.keys()]))].map((name) => ({
    name,
    isNumber: isNumberColumn(name, rows),
  }));

interface CellsProps {
  readonly row: RawRow;
  readonly columns: readonly ResultColumn[];
  readonly focus: RowFocus;
  readonly open: () => void;
}

const Cells = ({ row, columns, focus, open }: CellsProps) => (
  <>
    {columns.map(({ name, isNumber }, place) => {
      const raw = row.get(name);
      const content = <Cell kind={isContainer(raw ?? '') ? 'text' : 'value'} raw={raw} />;
      return (
        <div key={name} role="gridcell" className={isNumber ? 'cell cut number' : 'cell cut'}>
          {place === 0 ? (
            <button type="button" onClick={open} {...focus}>
              {content}
            </button>
          ) : (
            content
          )}
        </div>
      );
    })}
  </>
);

const Head = ({ columns }: { readonly columns: readonly ResultColumn[] }) => (
  <>
    {columns.map(({ name, isNumber }) => (
      <div
        key={name}
        role="columnheader"
        className={`head-cell plain cut ${isNumber ? 'number' : ''}`}
        title={name}
      >
        {name}
      </div>
    ))}
  </>
);

export function Results({ rows }: { readonly rows: readonly RawRow[] }) {
  const [selected, setSelected] = useState<number | null>(null);
  const chart = chartOf(rows);
  if (rows.length === 0) return <p className="loading">The query returned no rows.</p>;
  const columns = columnsOf(rows);
  const row = selected === null ? undefined : rows[selected];
  return (
    <>
      {chart !== null && <BarChart chart={chart} />}
      <Grid
        label="Result"
        className="results panel"
        widths={columns.map(() => `minmax(${columnMin}rem, 1fr)`)}
        minWidth={columns.length * columnMin}
        head={<Head columns={columns} />}
        count={rows.length}
        total={rows.length}
        isStale={false}
        rowAt={(index, focus) => ({
          key: String(index),
          isSelected: index === selected,
          cells: (
            <Cells
              row={rows[index]!}
              columns={columns}
              focus={focus}
              open={() => setSelected(index)}
            />
          ),
        })}
      />
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
