// The head of a column: sort order, most frequent values, removal.
import { useQuery } from '@tanstack/react-query';
import { numberText } from '../../kit/format.js';
import { Popover } from '../../kit/popover.js';
import { QueryState } from '../../kit/states.js';
import { plainText } from '../../json/scan.js';
import { rawRowsOf } from '../../server/query.js';
import type { Column } from './columns.js';
import { facetQuery, missingMetrics, type Selection } from './view.js';

export interface HeadActions {
  readonly sort: string;
  readonly setSort: (sort: string) => void;
  /** Null for the only column. */
  readonly remove: ((expression: string) => void) | null;
  /** Selects the rows with this value of an expression. */
  readonly addValue: (expression: string, raw: string) => void;
  readonly selection: Selection;
  readonly version: string | null;
}

const facetValues = 20;

function Facet({ column, actions, close }: MenuProps) {
  const query = facetQuery(actions.selection, column.expression, facetValues);
  const facet = useQuery({
    queryKey: ['facet', query, actions.version],
    queryFn: ({ signal }) => rawRowsOf(query, { version: actions.version, signal }),
    staleTime: Infinity,
  });
  if (facet.data === undefined) return <QueryState query={facet} />;
  const most = Number(facet.data.rows[0]?.get('n') ?? 1);
  return (
    <ul className="facet">
      {facet.data.rows.map((row) => {
        const raw = row.get('value') ?? 'null';
        const n = Number(row.get('n'));
        return (
          <li key={raw}>
            <button
              type="button"
              className="quiet facet-value"
              style={{ ['--share' as string]: `${(100 * n) / most}%` }}
              onClick={() => {
                actions.addValue(column.expression, raw);
                close();
              }}
            >
              <span className="cut">{raw === 'null' ? 'no value' : plainText(raw)}</span>
              <span className="number">{numberText(n)}</span>
            </button>
          </li>
        );
      })}
    </ul>
  );
}

interface MenuProps {
  readonly column: Column;
  readonly actions: HeadActions;
  readonly close: () => void;
}

/** Whether the rows of a list have the values of a column: summaries of traces lack some metrics of the root. */
const isInRows = ({ selection }: HeadActions, { expression }: Column): boolean =>
  missingMetrics(selection, [expression]).length === 0;

/** Object columns have no useful order. */
const hasOrder = (actions: HeadActions, column: Column): boolean =>
  column.kind !== 'scores' && isInRows(actions, column);

function Menu(props: MenuProps) {
  const { column, actions, close } = props;
  const order = (direction: 'asc' | 'desc') => () => {
    actions.setSort(`${column.expression} ${direction}`);
    close();
  };
  return (
    <>
      <div className="menu-actions">
        {hasOrder(actions, column) && (
          <>
            <button type="button" className="small" onClick={order('asc')}>
              ▲ Ascending
            </button>
            <button type="button" className="small" onClick={order('desc')}>
              ▼ Descending
            </button>
          </>
        )}
        <button
          type="button"
          className="small"
          disabled={actions.remove === null}
          onClick={() => {
            actions.remove?.(column.expression);
            close();
          }}
        >
          Remove
        </button>
      </div>
      {isInRows(actions, column) && (
        <>
          <p className="menu-title">Most frequent values</p>
          <Facet {...props} />
        </>
      )}
    </>
  );
}

type Direction = 'ascending' | 'descending';

function directionOf(actions: HeadActions, column: Column): Direction | undefined {
  if (!isInRows(actions, column)) return undefined;
  if (actions.sort === `${column.expression} desc`) return 'descending';
  return actions.sort === `${column.expression} asc` ? 'ascending' : undefined;
}

export function ColumnHead({
  column,
  isNumber,
  actions,
}: {
  readonly column: Column;
  readonly isNumber: boolean;
  readonly actions: HeadActions;
}) {
  const { expression, label } = column;
  const direction = directionOf(actions, column);
  return (
    <div
      role="columnheader"
      className={isNumber ? 'head-cell number' : 'head-cell'}
      aria-sort={direction}
    >
      <Popover
        className="quiet head-button"
        label={
          <>
            <span className="cut">{label}</span>
            {direction && <span aria-hidden="true">{direction === 'ascending' ? '▲' : '▼'}</span>}
          </>
        }
        title={expression}
      >
        {(close) => <Menu column={column} actions={actions} close={close} />}
      </Popover>
    </div>
  );
}
