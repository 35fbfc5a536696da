// The experiments of a project, with the means of their scores.
import { useQuery } from '@tanstack/react-query';
import { numberText, scoreText, timeText } from '../../kit/format.js';
import { ListTable } from '../../kit/list-table.js';
import { change, Link, nameInPath, useHref } from '../../kit/location.js';
import { Empty, Failure, QueryState, Snippet } from '../../kit/states.js';
import { useExperiments, type ListedExperiment, type Project } from '../../server/objects.js';
import { quoted, textOf } from '../../server/clauses.js';
import { rowsOf } from '../../server/query.js';
import { serverAddress } from '../../server/request.js';
import type { PathInProject } from '../objects/datasets.js';
import { byScore, type Mean } from './means.js';
import { MetadataMenu, metadataText, useMetadataColumns } from './metadata-menu.js';
import { Trend } from './trend.js';

interface Row {
  readonly experiment_id: string;
  readonly traces: number;
  readonly errors: number;
}

/** The maximum number of score columns; each experiment shows all scores. */
const scoresMax = 8;

/** Means over spans, since they are fast for a list; the page of an experiment has means over traces. */
function useNumbers(project: Project) {
  const source = { from: `project(${quoted(project.id)})`, filter: 'experiment_id is not null' };
  const rows = textOf({
    dimensions: 'experiment_id',
    measures: 'count_distinct(is_root ? root_span_id : null) as traces, count(error) as errors',
    ...source,
  });
  const means = textOf({
    dimensions: 'experiment_id, score',
    measures: 'avg(value) as mean, count(is_root ? null : value) as inner',
    unpivot: 'scores as (score, value)',
    ...source,
  });
  return useQuery({
    queryKey: ['experiment-numbers', project.id],
    queryFn: async ({ signal }) => {
      const [counts, scores] = await Promise.all([
        rowsOf<Row>(rows, { signal }),
        rowsOf<Mean>(means, { signal }),
      ]);
      return {
        counts: new Map(counts.map((row) => [row.experiment_id, row])),
        scores: byScore(scores),
      };
    },
    refetchInterval: 10_000,
  });
}

const createCommand = (project: Project): string =>
  `EXPERIMENT=$(curl -s ${serverAddress}/v1/experiment -H "Authorization: Bearer $EVALSTORE_KEY" \\
  -d '{"project_id": "${project.id}", "name": "baseline"}' | grep -o '"id":"[^"]*' | cut -c7-)
curl -s ${serverAddress}/v1/experiment/$EXPERIMENT/insert -H "Authorization: Bearer $EVALSTORE_KEY" \\
  -d '{"events": [{"input": "1 + 1", "output": "2", "scores": {"correct": 1}}]}'`;

const NoExperiments = ({ project }: { readonly project: Project }) => (
  <Empty title="No experiments yet">
    <p>
      An experiment holds the results of one evaluation. This command creates one with its first
      result:
    </p>
    <Snippet text={createCommand(project)} />
    <p className="waiting" role="status">
      Waiting for the first experiment …
    </p>
  </Empty>
);

type Counts = Pick<Row, 'traces' | 'errors'>;

const noRows: Counts = { traces: 0, errors: 0 };

interface RowProps {
  readonly experiment: ListedExperiment;
  readonly href: string;
  readonly means: readonly (Mean | undefined)[];
  /** Members of the metadata. */
  readonly columns: readonly string[];
  /** Undefined until they are known. */
  readonly counts: Counts | undefined;
  readonly isChosen: boolean;
  readonly choose: (isChosen: boolean) => void;
}

/** Whether the mean is one of spans: the mean of traces, which the experiment shows, can differ. */
const isOfSpans = (mean: Mean | undefined): boolean => (mean?.inner ?? 0) > 0;

function ExperimentRow(props: RowProps) {
  const { experiment, href, means, columns, counts, isChosen, choose } = props;
  const { name, created } = experiment;
  return (
    <tr>
      <td>
        <input
          type="checkbox"
          aria-label={`Compare ${name}`}
          checked={isChosen}
          onChange={({ target }) => choose(target.checked)}
        />
      </td>
      <td className="cut">
        <Link href={href}>{name}</Link>
      </td>
      {means.map((mean, index) => (
        <td
          key={index}
          className="number"
          title={
            isOfSpans(mean) ? 'Mean of spans; the experiment shows the mean of traces' : undefined
          }
        >
          {isOfSpans(mean) && '≈ '}
          {scoreText(mean?.mean)}
        </td>
      ))}
      {columns.map((column) => (
        <td key={column} className="cut" title={metadataText(experiment, column)}>
          {metadataText(experiment, column)}
        </td>
      ))}
      <td className="number">{counts ? numberText(counts.traces) : '…'}</td>
      <td className={counts && counts.errors > 0 ? 'number bad' : 'number'}>
        {counts ? numberText(counts.errors) : '…'}
      </td>
      <td>{timeText(created)}</td>
    </tr>
  );
}

interface ListProps {
  readonly project: Project;
  readonly experiments: readonly ListedExperiment[];
  readonly path: PathInProject;
}

function ExperimentList({ project, experiments, path }: ListProps) {
  const numbers = useNumbers(project);
  const chosen = useHref().searchParams.get('e')?.split(',') ?? [];
  const choose = (one: string, isChosen: boolean) => {
    const others = chosen.filter((id) => id !== one);
    change({ e: (isChosen ? [...others, one] : others).join(',') }, true);
  };
  const columns = useMetadataColumns();
  const all = [...(numbers.data?.scores ?? [])];
  const scores = all.slice(0, scoresMax);
  const oldestFirst = experiments.toReversed();
  // The oldest selected experiment is the baseline.
  const compared = experiments
    .filter(({ id }) => chosen.includes(id))
    .map(({ id }) => id)
    .reverse();
  return (
    <>
      {numbers.error && <Failure error={numbers.error} retry={numbers.refetch} />}
      <div className="inline-form" style={{ marginBottom: 'var(--space-3)' }}>
        {compared.length < 2 ? (
          <span className="muted">Select two or more to compare them.</span>
        ) : (
          <Link
            className="button"
            href={`${path('compare')}?${new URLSearchParams({ e: compared.join(',') }).toString()}`}
          >
            Compare {compared.length}
          </Link>
        )}
        <MetadataMenu experiments={experiments} columns={columns} />
        {all.length > scoresMax && (
          <span className="muted">
            {scoresMax} of {all.length} scores have columns. The pages of experiments show all.
          </span>
        )}
      </div>
      <ListTable
        label="Experiments"
        head={
          <>
            <th>
              <span className="hidden">Compare</span>
            </th>
            <th>Experiment</th>
            {scores.map(([name, means]) => (
              <th key={name} className="number">
                {name}
                <Trend
                  label={`${name} from the oldest experiment to the newest`}
                  means={oldestFirst.map(({ id }) => means.get(id)?.mean ?? null)}
                />
              </th>
            ))}
            {columns.map((name) => (
              <th key={name}>{name}</th>
            ))}
            <th className="number">Traces</th>
            <th className="number">Errors</th>
            <th>Created</th>
          </>
        }
      >
        {experiments.map((experiment) => (
          <ExperimentRow
            key={experiment.id}
            experiment={experiment}
            href={path('experiments', nameInPath(experiment))}
            means={scores.map(([, means]) => means.get(experiment.id))}
            columns={columns}
            counts={numbers.data && (numbers.data.counts.get(experiment.id) ?? noRows)}
            isChosen={chosen.includes(experiment.id)}
            choose={(isChosen) => choose(experiment.id, isChosen)}
          />
        ))}
      </ListTable>
    </>
  );
}

export function Experiments({ project, path }: { project: Project; path: PathInProject }) {
  const experiments = useExperiments(project);
  return (
    <div className="page">
      <header>
        <h1>Experiments</h1>
      </header>
      <QueryState query={experiments} />
      {experiments.data?.length === 0 && <NoExperiments project={project} />}
      {experiments.data !== undefined && experiments.data.length > 0 && (
        <ExperimentList project={project} experiments={experiments.data} path={path} />
      )}
    </div>
  );
}
