// The rows of a view as a grid; each row links to its trace.
import { useCallback } from 'react';
import { Grid, type GridSelection, type RowFocus } from '../../kit/grid.js';
import { Link } from '../../kit/location.js';
import type { RawRow } from '../../json/scan.js';
import { Cell, isNumberColumn } from './cell.js';
import { ColumnHead, type HeadActions } from './column-head.js';
import type { Column } from './columns.js';
import { ahead } from './use-rows.js';
import { columnName, messageName } from './view.js';

/** The minimum width of a column in rem. */
const columnMin = 6.5;

export interface TableProps {
  readonly label: string;
  /** Identifies the view. */
  readonly identity: string;
  readonly columns: readonly Column[];
  readonly rows: readonly RawRow[];
  /** The number of rows of the view, loaded or not; null if unknown. */
  readonly count: number | null;
  readonly selected: string | null;
  readonly hrefOf: (row: RawRow) => string;
  readonly keyOf: (row: RawRow) => string;
  readonly head: HeadActions;
  readonly hasMore: boolean;
  readonly loadMore: () => unknown;
  readonly isStale: boolean;
  readonly choice: GridSelection | undefined;
}

const classOf = ({ kind }: Column, isNumber: boolean): string => {
  if (isNumber) return 'cell cut number';
  return kind === 'time' ? 'cell cut time' : 'cell cut';
};

const isFailed = (row: RawRow): boolean => row.get('failed') === 'true';

const hasNumbers = ({ kind }: Column, place: number, rows: readonly RawRow[]): boolean =>
  kind === 'duration' || (kind === 'value' && isNumberColumn(columnName(place), rows));

interface CellsProps {
  readonly row: RawRow;
  readonly columns: readonly Column[];
  /** By column. */
  readonly areNumbers: readonly boolean[];
  readonly href: string;
  readonly focus: RowFocus;
}

/** Narrow, so that the first column keeps its width. */
const ErrorMark = () => (
  <span className="bad" role="img" aria-label="error" title="error">
    ✕
  </span>
);

const Cells = ({ row, columns, areNumbers, href, focus }: CellsProps) => (
  <>
    {columns.map((column, place) => {
      const raw = row.get(columnName(place));
      const content = <Cell kind={column.kind} raw={raw} message={row.get(messageName(place))} />;
      return (
        <div
          key={column.expression}
          role="gridcell"
          className={classOf(column, areNumbers[place]!)}
        >
          {place === 0 ? (
            <Link href={href} {...focus}>
              {isFailed(row) && <ErrorMark />} {content}
            </Link>
          ) : (
            content
          )}
        </div>
      );
    })}
  </>
);

export function Table(props: TableProps) {
  const { label, columns, rows, count, selected, hrefOf, keyOf, head, isStale } = props;
  const { hasMore, loadMore } = props;
  const { length } = rows;
  const areNumbers = columns.map((column, place) => hasNumbers(column, place, rows));
  const onReach = useCallback(
    (index: number) => {
      if (hasMore && index > length - ahead) loadMore();
    },
    [hasMore, length, loadMore],
  );
  return (
    <Grid
      label={label}
      identity={props.identity}
      widths={columns.map(({ width }) => width)}
      minWidth={columns.length * columnMin}
      head={columns.map((column, place) => (
        <ColumnHead
          key={column.expression}
          column={column}
          isNumber={areNumbers[place]!}
          actions={head}
        />
      ))}
      count={length}
      total={count}
      isStale={isStale}
      onReach={onReach}
      choice={props.choice}
      rowAt={(index, focus) => {
        const row = rows[index]!;
        const key = keyOf(row);
        return {
          key,
          className: isFailed(row) ? 'failed' : '',
          isSelected: key === selected,
          cells: (
            <Cells
              row={row}
              columns={columns}
              areNumbers={areNumbers}
              href={hrefOf(row)}
              focus={focus}
            />
          ),
        };
      }}
    />
  );
}
