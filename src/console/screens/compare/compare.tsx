// Compares experiments side by side, input by input. The first one is the baseline.
import { change, hrefWith, useHref, useVersion } from '../../kit/location.js';
import { Empty, Failure, Loading, QueryState } from '../../kit/states.js';
import { useExperiments, type Experiment, type Project } from '../../server/objects.js';
import { filterErrorOf } from '../rows/filter-bar.js';
import { VersionBanner } from '../rows/version-banner.js';
import { useDistributions } from '../experiment/distribution.js';
import { ScoreCards } from '../experiment/score-cards.js';
import { useSummary } from '../experiment/summary.js';
import type { PathInProject } from '../objects/datasets.js';
import { CompareToolbar } from './compare-toolbar.js';
import { byInput, readDirection, type Comparison } from './comparison.js';
import { idOf, keyOf, trialsOf } from './group-row.js';
import { Results } from './results.js';
import { Sides } from './sides.js';
import { useGroups, useScoreNames } from './use-groups.js';

/** The first is the baseline. */
type Compared = readonly [Experiment, Experiment, ...Experiment[]];

interface CompareProps {
  readonly project: Project;
  readonly path: PathInProject;
}

function OneSummary({
  experiment,
  base,
  filter,
  hasRows,
}: {
  readonly experiment: Experiment;
  readonly base: Experiment;
  readonly filter: string;
  /** Whether the rows were read. A wrong filter fails them, too, and their error is the one that is shown. */
  readonly hasRows: boolean;
}) {
  const href = useHref();
  const version = useVersion();
  const summary = useSummary(experiment.id, base.id, { filter, version });
  const distributions = useDistributions([experiment.id, base.id], version, {
    filter,
    isWanted: hasRows,
  });
  return (
    <section className="experiment-head">
      <h2>
        {experiment.name} <span className="muted">against</span> {base.name}
        {filter !== '' && (
          <span className="muted">
            , where <code>{filter}</code>
          </span>
        )}
      </h2>
      {summary.error && hasRows && <Failure error={summary.error} retry={summary.refetch} />}
      {summary.isLoading && <Loading />}
      {summary.data && (
        <ScoreCards
          summary={summary.data}
          isStale={summary.isPlaceholderData}
          distributions={distributions}
          experiments={[experiment.id, base.id]}
          hrefOf={(score, only) => {
            const e = `${base.id},${experiment.id}`;
            // The summary counts inputs, whatever their traces have as a whole.
            return hrefWith(href, { e, score, only, by: null, g: null, r: null });
          }}
        />
      )}
    </section>
  );
}

/** The comparison that the URL describes. */
function useComparison(experiments: Compared, names: readonly string[]): Comparison {
  const { searchParams } = useHref();
  const [, second, ...rest] = experiments;
  return {
    experiments: experiments.map(({ id }) => id),
    changed: (rest.find(({ id }) => id === searchParams.get('c')) ?? second).id,
    score: searchParams.get('score') ?? names[0] ?? '',
    direction: readDirection(searchParams.get('only')),
    filter: searchParams.get('f') ?? '',
    version: useVersion(),
    traceFilter: searchParams.get('g') ?? '',
    groupBy: searchParams.get('by') ?? byInput,
  };
}

function Comparing({
  experiments,
  all,
  path,
}: {
  readonly experiments: Compared;
  readonly all: readonly Experiment[];
  readonly path: PathInProject;
}) {
  const href = useHref();
  const [base, ...others] = experiments;
  const names = useScoreNames(
    experiments.map(({ id }) => id),
    useVersion(),
  );
  const comparison = useComparison(experiments, names.data ?? []);
  const isReady = comparison.score !== '' || names.data !== undefined;
  const { groups, query } = useGroups(comparison, isReady);
  const filterError = filterErrorOf(groups.error, query, comparison.filter);
  const rows = groups.data?.rows ?? [];
  const count = experiments.length;
  const selected = comparison.groupBy === byInput ? href.searchParams.get('r') : null;
  const index = selected === null ? -1 : rows.findIndex((row) => keyOf(row, count) === selected);
  const at = (place: number) => {
    const row = index < 0 ? undefined : rows[place];
    return row === undefined ? null : keyOf(row, count);
  };
  return (
    <div className={index < 0 ? 'rows' : 'rows with-panel'}>
      <h1 className="hidden">Comparison of {experiments.map(({ name }) => name).join(', ')}</h1>
      <section className="rows-list" aria-label="Comparison">
        <VersionBanner />
        {others.map((experiment) => (
          <OneSummary
            key={experiment.id}
            experiment={experiment}
            base={base}
            filter={comparison.filter}
            hasRows={groups.isSuccess && !groups.isPlaceholderData}
          />
        ))}
        <CompareToolbar
          all={all}
          others={others}
          comparison={comparison}
          names={names.data ?? []}
          query={query}
          version={groups.data?.version ?? null}
          count={groups.data === undefined ? null : rows.length}
          isStale={groups.isPlaceholderData}
          filterError={filterError}
        />
        <Results
          experiments={experiments}
          comparison={comparison}
          names={names}
          groups={groups}
          isFilterWrong={filterError !== null}
          selected={index < 0 ? null : selected}
        />
      </section>
      {index >= 0 && (
        <Sides
          experiments={experiments}
          ids={experiments.map((_, place) => idOf(rows[index]!, place))}
          trials={trialsOf(rows[index]!, count)}
          comparison={comparison}
          previous={at(index - 1)}
          next={at(index + 1)}
          path={path}
        />
      )}
    </div>
  );
}

export default function Compare({ project, path }: CompareProps) {
  const asked = useHref().searchParams.get('e')?.split(',') ?? [];
  const experiments = useExperiments(project);
  if (experiments.data === undefined) return <QueryState query={experiments} />;
  const chosen = [...new Set(asked)].flatMap(
    (id) => experiments.data.find((one) => one.id === id) ?? [],
  );
  const [first, second, ...rest] = chosen;
  if (first === undefined || second === undefined)
    return (
      <Empty isPage title="Select two experiments to compare">
        <ul className="choices">
          {experiments.data.map(({ id, name }) => (
            <li key={id}>
              <button
                type="button"
                aria-pressed={first?.id === id}
                onClick={() => change({ e: [...chosen.map((one) => one.id), id].join(',') })}
              >
                {name}
              </button>
            </li>
          ))}
        </ul>
      </Empty>
    );
  return <Comparing experiments={[first, second, ...rest]} all={experiments.data} path={path} />;
}
