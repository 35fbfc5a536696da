// The grid of inputs of a comparison, or of groups of them, with scores and their changes.
import { metricText, numberText, shortNumberText } from '../../kit/format.js';
import { Grid } from '../../kit/grid.js';
import { Link } from '../../kit/location.js';
import type { RawRow } from '../../json/scan.js';
import type { Experiment } from '../../server/objects.js';
import { Cell } from '../rows/cell.js';

interface GroupsProps {
  readonly rows: readonly RawRow[];
  readonly experiments: readonly Experiment[];
  readonly selected: string | null;
  readonly keyOf: (row: RawRow) => string;
  /** The expression of the groups; null for inputs. */
  readonly groupBy: string | null;
  readonly hrefOf: (row: RawRow) => string;
  readonly isStale: boolean;
}

/** Widths of the group, and of each experiment's score or mean, in rem. */
const groupMin = 9;
const scoreMin = 7;
const meanMin = 13;

const tracesIn = (row: RawRow, index: number): number => Number(row.get(`n${index}`) ?? 0);

const isNumber = (raw: string | undefined): raw is string => raw !== undefined && raw !== 'null';

function Change({ raw }: { readonly raw: string | undefined }) {
  if (!isNumber(raw)) return <span className="muted">–</span>;
  const value = Number(raw);
  if (value === 0) return <span className="muted">0</span>;
  const text = metricText(Math.abs(value), '');
  return (
    <span className={value > 0 ? 'good' : 'bad'} title={raw}>
      {value > 0 ? '▲ +' : '▼ −'}
      {text}
    </span>
  );
}

const Scores = ({ row, count }: { readonly row: RawRow; readonly count: number }) => (
  <>
    {Array.from({ length: count }, (_, index) => {
      const traces = tracesIn(row, index);
      const score = row.get(`s${index}`);
      return (
        <div key={index} role="gridcell" className="cell number cut">
          {traces > 1 && (
            <span className="chip" title="Traces">
              {numberText(traces)} ×
            </span>
          )}{' '}
          {isNumber(score) ? <span title={score}>{shortNumberText(score)}</span> : '–'}{' '}
          {index > 0 && <Change raw={row.get(`d${index}`)} />}
        </div>
      );
    })}
  </>
);

const Head = ({ experiments, groupBy }: Pick<GroupsProps, 'experiments' | 'groupBy'>) => (
  <>
    <div role="columnheader" className="head-cell plain cut">
      {groupBy === null ? 'Input' : <code>{groupBy}</code>}
    </div>
    {experiments.map(({ id, name }, index) => (
      <div key={id} role="columnheader" className="head-cell plain number cut" title={name}>
        {name}
        {index === 0 && ' (baseline)'}
      </div>
    ))}
  </>
);

export function Groups(props: GroupsProps) {
  const { rows, experiments, groupBy, selected, keyOf, hrefOf, isStale } = props;
  const count = experiments.length;
  const hasMeans = rows.some((row) => experiments.some((_, index) => tracesIn(row, index) > 1));
  const experimentMin = hasMeans ? meanMin : scoreMin;
  return (
    <Grid
      label={groupBy === null ? 'Inputs' : 'Groups'}
      widths={[
        `minmax(${groupMin}rem, 4fr)`,
        ...experiments.map(() => `minmax(${experimentMin}rem, 1fr)`),
      ]}
      minWidth={groupMin + count * experimentMin}
      head={<Head experiments={experiments} groupBy={groupBy} />}
      count={rows.length}
      total={rows.length}
      isStale={isStale}
      rowAt={(index, focus) => {
        const row = rows[index]!;
        return {
          key: keyOf(row),
          isSelected: keyOf(row) === selected,
          cells: (
            <>
              <div role="gridcell" className="cell cut">
                <Link href={hrefOf(row)} {...focus}>
                  <Cell kind="text" raw={row.get('value')} />
                </Link>
              </div>
              <Scores row={row} count={count} />
            </>
          ),
        };
      }}
    />
  );
}
