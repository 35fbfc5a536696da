// The toolbar of a comparison: experiments, score, inputs.
import { useState } from 'react';
import { countText } from '../../kit/format.js';
import { change, useHref } from '../../kit/location.js';
import { Popover } from '../../kit/popover.js';
import { useShortcuts } from '../../kit/shortcuts.js';
import type { Experiment } from '../../server/objects.js';
import { FilterBar } from '../rows/filter-bar.js';
import { PathInput } from '../rows/path-input.js';
import { QueryDialog } from '../rows/query-dialog.js';
import { byInput, type Comparison, type Direction } from './comparison.js';

interface CompareToolbarProps {
  readonly all: readonly Experiment[];
  /** Those that are compared with the baseline. */
  readonly others: readonly Experiment[];
  readonly comparison: Comparison;
  readonly names: readonly string[];
  readonly query: string;
  readonly version: string | null;
  readonly count: number | null;
  /** Whether it is the count of the comparison before. */
  readonly isStale: boolean;
  readonly filterError: string | null;
}

const set = (ids: readonly string[]) => change({ e: ids.join(','), r: null });

const directions: readonly (readonly [Direction, string])[] = [
  ['all', 'All inputs'],
  ['up', '▲ Better'],
  ['down', '▼ Worse'],
];

function ExperimentsMenu({ all, comparison }: Pick<CompareToolbarProps, 'all' | 'comparison'>) {
  const { experiments } = comparison;
  return (
    <Popover label={`${experiments.length} experiments ▾`}>
      {() => (
        <ul className="choices">
          {all.map(({ id, name }) => {
            const isChosen = experiments.includes(id);
            return (
              <li key={id} className="choice">
                <label className="cut">
                  <input
                    type="checkbox"
                    checked={isChosen}
                    disabled={isChosen && experiments.length <= 2}
                    onChange={() =>
                      set(isChosen ? experiments.filter((one) => one !== id) : [...experiments, id])
                    }
                  />{' '}
                  {name}
                </label>
                <button
                  type="button"
                  className="small"
                  aria-pressed={experiments[0] === id}
                  onClick={() => set([id, ...experiments.filter((one) => one !== id)])}
                >
                  baseline
                </button>
              </li>
            );
          })}
        </ul>
      )}
    </Popover>
  );
}

/** Which score is compared, and whether only its changes in one direction are shown. */
const ScoreFields = ({ comparison, names }: Pick<CompareToolbarProps, 'comparison' | 'names'>) => (
  <>
    <select
      aria-label="Score"
      value={comparison.score}
      onChange={(event) => change({ score: event.target.value, r: null })}
    >
      {[...new Set([comparison.score, ...names])].map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </select>
    <select
      aria-label="Inputs"
      value={comparison.direction}
      onChange={(event) =>
        change({ only: event.target.value === 'all' ? null : event.target.value, r: null })
      }
    >
      {directions.map(([value, label]) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  </>
);

/** The experiment by whose changes the inputs are sorted and selected. */
const ChangedField = ({
  comparison,
  others,
}: Pick<CompareToolbarProps, 'comparison' | 'others'>) => (
  <label className="inline-form">
    Changes of
    <select
      value={comparison.changed}
      onChange={(event) => change({ c: event.target.value, r: null })}
    >
      {others.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  </label>
);

const setGroup = (by: string) => change({ by: by === byInput ? null : by, r: null });

function GroupMenu({ comparison }: Pick<CompareToolbarProps, 'comparison'>) {
  const { experiments, groupBy } = comparison;
  return (
    <Popover label={`By ${groupBy} ▾`} isPressed={groupBy !== byInput}>
      {(close) => (
        <form
          className="inline-form"
          onSubmit={(event) => {
            event.preventDefault();
            close();
            setGroup((new FormData(event.currentTarget).get('by') as string).trim() || byInput);
          }}
        >
          <PathInput
            name="by"
            source={{ kind: 'experiment', id: experiments[0]! }}
            placeholder="metadata.category"
            defaultValue={groupBy}
          />
          <button type="submit">Group</button>
          <button
            type="button"
            disabled={groupBy === byInput}
            onClick={() => {
              close();
              setGroup(byInput);
            }}
          >
            By input
          </button>
        </form>
      )}
    </Popover>
  );
}

export function CompareToolbar(props: CompareToolbarProps) {
  const { all, others, comparison, names, query, version, count, filterError } = props;
  const href = useHref();
  const [isQueryOpen, setQueryOpen] = useState(false);
  useShortcuts([{ key: 'q', label: 'The query of this view', run: () => setQueryOpen(true) }]);
  return (
    <div className="toolbar" role="group" aria-label="View">
      <ExperimentsMenu all={all} comparison={comparison} />
      {comparison.score !== '' && <ScoreFields comparison={comparison} names={names} />}
      {comparison.score !== '' && others.length > 1 && (
        <ChangedField comparison={comparison} others={others} />
      )}
      <GroupMenu comparison={comparison} />
      <FilterBar
        selection={{
          source: { kind: 'experiment', id: comparison.experiments[0]! },
          view: { filter: comparison.filter, scope: 'root' },
          time: { from: null, to: null },
        }}
        version={version}
        error={filterError}
        apply={(filter) => change({ f: filter.trim(), r: null })}
      />
      <button type="button" onClick={() => setQueryOpen(true)}>
        Query
      </button>
      <span className={props.isStale ? 'count stale' : 'count'} role="status">
        {count !== null && countText(count, comparison.groupBy === byInput ? 'input' : 'group')}
      </span>
      {isQueryOpen && (
        <QueryDialog
          query={query}
          version={version}
          workbench={href.pathname.replace(/compare$/, 'query')}
          close={() => setQueryOpen(false)}
        />
      )}
    </div>
  );
}
