// The experiments of a project, with the means of their scores.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { numberText, scoreText, timeText } from '../../app/format.js';
import { ListTable } from '../../app/list-table.js';
import { Link, nameInPath } from '../../app/location.js';
import { Empty, Failure, Loading, Snippet } from '../../app/states.js';
import { useExperiments, type Experiment, type Project } from '../../server/objects.js';
import { quoted, textOf } from '../../server/clauses.js';
import { rowsOf } from '../../server/query.js';
import { serverAddress } from '../../server/request.js';
import type { PathInProject } from '../objects/datasets.js';

interface Row {
  readonly experiment_id: string;
  readonly traces: number;
  readonly errors: number;
}

interface Mean {
  readonly experiment_id: string;
  readonly score: string;
  readonly mean: number | null;
}

/** More are left out of the table, and are in each experiment. */
const scoresMax = 8;

/** Both are means of spans, which a list reads at once; the page of an experiment has means of traces. */
function useNumbers(project: Project) {
  const source = { from: `project(${quoted(project.id)})`, filter: 'experiment_id is not null' };
  const rows = textOf({
    dimensions: 'experiment_id',
    measures: 'count(is_root ? 1 : null) as traces, count(error) as errors',
    ...source,
  });
  const means = `${textOf({
    dimensions: 'experiment_id, score',
    measures: 'avg(value) as mean',
    ...source,
  })}\nunpivot: scores as (score, value)`;
  return useQuery({
    queryKey: ['experiment-numbers', project.id],
    queryFn: async ({ signal }) => {
      const [counts, scores] = await Promise.all([
        rowsOf<Row>(rows, { signal }),
        rowsOf<Mean>(means, { signal }),
      ]);
      return { counts: new Map(counts.map((row) => [row.experiment_id, row])), scores };
    },
    refetchInterval: 10_000,
  });
}

const createCommand = (project: Project): string =>
  `EXPERIMENT=$(curl -s ${serverAddress}/v1/experiment -H "Authorization: Bearer $EVALSTORE_API_KEY" \\
  -d '{"project_id": "${project.id}", "name": "baseline"}' | grep -o '"id":"[^"]*' | cut -c7-)
curl -s ${serverAddress}/v1/experiment/$EXPERIMENT/insert -H "Authorization: Bearer $EVALSTORE_API_KEY" \\
  -d '{"events": [{"input": "1 + 1", "output": "2", "scores": {"correct": 1}}]}'`;

const NoExperiments = ({ project }: { readonly project: Project }) => (
  <Empty title="No experiments yet">
    <p>An experiment holds the results of one evaluation. This makes one with its first result:</p>
    <Snippet text={createCommand(project)} />
    <p className="waiting" role="status">
      Waiting for the first experiment …
    </p>
  </Empty>
);

interface ListProps {
  readonly project: Project;
  readonly experiments: readonly Experiment[];
  readonly path: PathInProject;
}

function ExperimentList({ project, experiments, path }: ListProps) {
  const numbers = useNumbers(project);
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const scores = numbers.data?.scores ?? [];
  const names = [...new Set(scores.map(({ score }) => score))].toSorted().slice(0, scoresMax);
  const meanOf = (id: string, name: string) =>
    scores.find(({ experiment_id, score }) => experiment_id === id && score === name)?.mean;
  // The oldest of those that are chosen is the baseline.
  const compared = experiments
    .filter(({ id }) => chosen.includes(id))
    .map(({ id }) => id)
    .reverse();
  return (
    <>
      {numbers.error && <Failure error={numbers.error} retry={numbers.refetch} />}
      <p className="inline-form" style={{ marginBottom: 'var(--space-3)' }}>
        {compared.length < 2 ? (
          <span className="muted">Choose two or more to compare them.</span>
        ) : (
          <Link
            className="button"
            href={`${path('compare')}?${new URLSearchParams({ e: compared.join(',') }).toString()}`}
          >
            Compare {compared.length}
          </Link>
        )}
      </p>
      <ListTable
        label="Experiments"
        head={
          <>
            <th>
              <span className="hidden">Compare</span>
            </th>
            <th>Experiment</th>
            {names.map((name) => (
              <th key={name} className="number">
                {name}
              </th>
            ))}
            <th className="number">Traces</th>
            <th className="number">Errors</th>
            <th>Created</th>
          </>
        }
      >
        {experiments.map((experiment) => {
          const { id, name, created } = experiment;
          const row = numbers.data?.counts.get(id);
          return (
            <tr key={id}>
              <td>
                <input
                  type="checkbox"
                  aria-label={`Compare ${name}`}
                  checked={chosen.includes(id)}
                  onChange={(event) =>
                    setChosen(
                      event.target.checked ? [...chosen, id] : chosen.filter((one) => one !== id),
                    )
                  }
                />
              </td>
              <td className="cut">
                <Link href={path('experiments', nameInPath(experiment))}>{name}</Link>
              </td>
              {names.map((score) => (
                <td key={score} className="number">
                  {scoreText(meanOf(id, score))}
                </td>
              ))}
              <td className="number">{numbers.data ? numberText(row?.traces ?? 0) : '…'}</td>
              <td className={(row?.errors ?? 0) > 0 ? 'number bad' : 'number'}>
                {numbers.data ? numberText(row?.errors ?? 0) : '…'}
              </td>
              <td>{timeText(created)}</td>
            </tr>
          );
        })}
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
      {experiments.error && <Failure error={experiments.error} retry={experiments.refetch} />}
      {experiments.isLoading && <Loading />}
      {experiments.data?.length === 0 && <NoExperiments project={project} />}
      {experiments.data !== undefined && experiments.data.length > 0 && (
        <ExperimentList project={project} experiments={experiments.data} path={path} />
      )}
    </div>
  );
}
