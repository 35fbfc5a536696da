// One input, and the output of each experiment.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { change, Link } from '../../kit/location.js';
import { useShortcuts } from '../../kit/shortcuts.js';
import { QueryState } from '../../kit/states.js';
import { indented } from '../../json/lines.js';
import { isContainer, plainText, type RawRow } from '../../json/scan.js';
import type { Experiment } from '../../server/objects.js';
import { rawRowsOf, rawRowsOfJson } from '../../server/query.js';
import { nameInPath } from '../../kit/location.js';
import type { PathInProject } from '../objects/datasets.js';
import { Cell } from '../rows/cell.js';
import { hasWords } from '../value/find-attachments.js';
import { Value } from '../value/value.js';
import { sidesQuery, trialsQuery, type Comparison } from './comparison.js';
import { WordDiff } from '../value/word-diff.js';

interface SidesProps {
  readonly experiments: readonly Experiment[];
  /** The row of each experiment, null if it has none. */
  readonly ids: readonly (string | null)[];
  /** JSON text of the input if some experiment has several rows with it; else null. */
  readonly trials: string | null;
  /** Its version is shown, and its conditions apply to trials. */
  readonly comparison: Comparison;
  readonly previous: string | null;
  readonly next: string | null;
  readonly path: PathInProject;
}

const open = (id: string | null) => id !== null && change({ r: id });

/** Null for an absent field. */
const fieldOf = (row: RawRow | undefined, name: 'output' | 'error'): string | null => {
  const raw = row?.get(name) ?? 'null';
  return raw === 'null' ? null : raw;
};

/** The maximum number of shown trials of an experiment. */
const trialsMax = 20;

const textOfValue = (raw: string): string => (isContainer(raw) ? indented(raw) : plainText(raw));

interface SideProps {
  readonly experiment: Experiment;
  readonly row: RawRow | undefined;
  /** The number of the trial; null if there is only one. */
  readonly trial: string | null;
  readonly isBaseline: boolean;
  /** The output of the baseline; null if there is none. */
  readonly base: string | null;
  readonly isDiff: boolean;
  readonly comparison: Comparison;
  readonly path: PathInProject;
}

const hrefOfTrace = (experiment: string, r: string, version: string | null): string =>
  `${experiment}?${new URLSearchParams(version === null ? { r } : { r, v: version }).toString()}`;

/** Conditions of the comparison can leave out the traces that have the input. */
const absence = ({ filter, traceFilter }: Comparison): string =>
  filter === '' && traceFilter === ''
    ? 'This input is not in this experiment.'
    : 'No listed trace of this experiment has this input.';

function Side({ experiment, row, trial, isBaseline, base, isDiff, comparison, path }: SideProps) {
  const { version } = comparison;
  const output = fieldOf(row, 'output');
  const error = fieldOf(row, 'error');
  const root = row === undefined ? '' : plainText(row.get('root_span_id') ?? '""');
  return (
    <section className="side" aria-label={experiment.name}>
      <header>
        <h3 className="cut">
          {row === undefined ? (
            experiment.name
          ) : (
            <Link href={hrefOfTrace(path('experiments', nameInPath(experiment)), root, version)}>
              {experiment.name}
            </Link>
          )}
        </h3>
        {isBaseline && <span className="chip">baseline</span>}
        {trial !== null && <span className="chip">{trial}</span>}
        <Cell kind="scores" raw={row?.get('scores')} />
      </header>
      {row === undefined && <p className="muted">{absence(comparison)}</p>}
      {error !== null && <Value label="Error" raw={error} isBad />}
      {row !== undefined && output === null && <p className="muted">It has no output.</p>}
      {output !== null &&
        (!isBaseline && base !== null && isDiff && hasWords(base) && hasWords(output) ? (
          <WordDiff before={textOfValue(base)} after={textOfValue(output)} />
        ) : (
          <Value label="Output" raw={output} />
        ))}
    </section>
  );
}

function Trials({
  rows,
  ...side
}: Omit<SideProps, 'row' | 'trial'> & { readonly rows: readonly (RawRow | undefined)[] }) {
  return (
    <>
      {rows.slice(0, trialsMax).map((row, trial) => (
        <Side
          key={trial}
          {...side}
          row={row}
          trial={rows.length > 1 ? `trial ${trial + 1} of ${rows.length}` : null}
        />
      ))}
      {rows.length > trialsMax && (
        <p className="muted">The other trials of {side.experiment.name} are not shown.</p>
      )}
    </>
  );
}

type SidesOf = Pick<SidesProps, 'experiments' | 'ids' | 'trials' | 'comparison'>;

/** The rows of all experiments that have the input. */
function useSides({ experiments, ids, trials, comparison }: SidesOf) {
  const { version } = comparison;
  const chosen = experiments.map(({ id }) => id);
  const query = trials === null ? sidesQuery(chosen, ids) : trialsQuery(chosen, trials, comparison);
  return useQuery({
    queryKey: ['sides', query, version],
    queryFn: ({ signal }) =>
      (trials === null ? rawRowsOf : rawRowsOfJson)(query, { version, signal }),
    placeholderData: keepPreviousData,
  });
}

export function Sides(props: SidesProps) {
  const { experiments, comparison, previous, next, path } = props;
  const [isDiff, setDiff] = useState(true);
  const rows = useSides(props);
  useShortcuts([
    { key: 'n', label: 'Next input', run: () => open(next) },
    { key: 'p', label: 'Previous input', run: () => open(previous) },
    { key: 'Escape', label: 'Close the input', run: () => change({ r: null }) },
  ]);
  /** The rows of the trials; a single undefined one if there is none. */
  const rowsOf = ({ id }: Experiment): readonly (RawRow | undefined)[] => {
    const own = rows.data?.rows.filter((row) => plainText(row.get('experiment_id') ?? '""') === id);
    return own === undefined || own.length === 0 ? [undefined] : own;
  };
  const [first] = rows.data?.rows ?? [];
  const base = fieldOf(rowsOf(experiments[0]!)[0], 'output');
  return (
    <aside className="trace" aria-label="One input">
      <header className="panel-head">
        <h2>Outputs</h2>
        <button
          type="button"
          className="small"
          aria-pressed={isDiff}
          onClick={() => setDiff(!isDiff)}
        >
          Word diff
        </button>
        <span className="end">
          <button
            type="button"
            className="quiet small"
            aria-label="Previous input"
            disabled={previous === null}
            onClick={() => open(previous)}
          >
            ↑
          </button>
          <button
            type="button"
            className="quiet small"
            aria-label="Next input"
            disabled={next === null}
            onClick={() => open(next)}
          >
            ↓
          </button>
          <button
            type="button"
            className="quiet small"
            aria-label="Close the input"
            onClick={() => change({ r: null })}
          >
            ✕
          </button>
        </span>
      </header>
      <QueryState query={rows} />
      {rows.data !== undefined && (
        <div
          className={rows.isPlaceholderData ? 'span-detail stale' : 'span-detail'}
          aria-busy={rows.isPlaceholderData}
          tabIndex={0}
          role="region"
          aria-label="Outputs"
        >
          <h3>Input</h3>
          <Value label="Input" raw={first?.get('input') ?? 'null'} />
          {(first?.get('expected') ?? 'null') !== 'null' && (
            <>
              <h3>Expected</h3>
              <Value label="Expected" raw={first!.get('expected')!} />
            </>
          )}
          {experiments.map((experiment, index) => (
            <Trials
              key={experiment.id}
              experiment={experiment}
              rows={rowsOf(experiment)}
              isBaseline={index === 0}
              base={base}
              isDiff={isDiff}
              comparison={comparison}
              path={path}
            />
          ))}
        </div>
      )}
    </aside>
  );
}
