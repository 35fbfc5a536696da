// The inputs of a comparison as a grid: scores and their changes beside each.
import { Grid } from '../../app/grid.js';
import { Link } from '../../app/location.js';
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

/** Of the input and of each experiment, in rem. */
const inputMin = 9;
const scoreMin = 7;

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

const Head = ({ experiments }: { readonly experiments: readonly Experiment[] }) => (
  <>
    <div role="columnheader" className="head-cell plain">
      Input
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
  const { rows, experiments, selected, keyOf, hrefOf, isStale } = props;
  const count = experiments.length;
  return (
    <Grid
      label="Inputs"
      widths={[
        `minmax(${inputMin}rem, 4fr)`,
        ...experiments.map(() => `minmax(${scoreMin}rem, 1fr)`),
      ]}
      minWidth={inputMin + count * scoreMin}
      head={<Head experiments={experiments} />}
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
                  <Cell kind="text" raw={row.get('input')} />
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
