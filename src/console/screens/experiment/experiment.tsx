// An experiment: its scores beside those of another one, and its traces.
import { ManageMenu } from '../../kit/manage-menu.js';
import { Empty, QueryState, Snippet } from '../../kit/states.js';
import { change, go, nameInPath, useHref, useVersion } from '../../kit/location.js';
import { named, useExperiments, type Experiment, type Project } from '../../server/objects.js';
import { serverAddress } from '../../server/request.js';
import type { PathInProject } from '../objects/datasets.js';
import { NamedRow } from '../rows/named-row.js';
import { RowsView } from '../rows/rows-view.js';
import { useDistributions } from './distribution.js';
import { ScoreCards } from './score-cards.js';
import { Share } from './share.js';
import { useSummary } from './summary.js';

interface ExperimentProps {
  readonly experiment: Experiment;
  readonly experiments: readonly Experiment[];
  readonly path: PathInProject;
}

const insertCommand = (id: string): string =>
  `curl -s ${serverAddress}/v1/experiment/${id}/insert -H "Authorization: Bearer $EVALSTORE_KEY" \\
  -d '{"events": [{"input": "How do I reset my password?", "output": "Click on Forgot password.", "scores": {"accuracy": 1}}]}'`;

function ComparisonField({
  experiment,
  experiments,
  chosen,
}: Omit<ExperimentProps, 'path'> & { readonly chosen: string }) {
  const others = experiments.filter(({ id }) => id !== experiment.id);
  // The URL can name an experiment that is gone.
  const shown = others.some(({ id }) => id === chosen) ? chosen : '';
  return (
    <label className="inline-form">
      Compared with
      <select value={shown} onChange={(event) => change({ c: event.target.value })}>
        {shown === '' && <option value="">–</option>}
        {others.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

function Header({ experiment, experiments, path }: ExperimentProps) {
  const asked = useHref().searchParams.get('c');
  const other = asked === null ? null : (named(experiments, asked)?.id ?? asked);
  const version = useVersion();
  const summary = useSummary(experiment.id, other, { version });
  const usual = summary.data?.comparison_experiment_name ?? null;
  const comparison =
    other ?? (usual === null ? '' : (experiments.find(({ name }) => name === usual)?.id ?? ''));
  const compared = comparison === '' ? [experiment.id] : [experiment.id, comparison];
  const distributions = useDistributions(compared, version, { isWanted: summary.isSuccess });
  const hrefOf = (score: string, only: 'up' | 'down') => {
    const e = [comparison, experiment.id].join(',');
    const v = version === null ? {} : { v: version };
    return `${path('compare')}?${new URLSearchParams({ e, score, only, ...v }).toString()}`;
  };
  return (
    <div className="experiment-head">
      <div className="inline-form">
        <h2 className="cut">{experiment.name}</h2>
        <ComparisonField experiment={experiment} experiments={experiments} chosen={comparison} />
        <Share experiment={experiment} />
        <ManageMenu
          kind="experiment"
          object={experiment}
          projectId={experiment.project_id}
          renamed={(next) => go(path('experiments', nameInPath(next)), true)}
          deleted={() => go(path('experiments'))}
        />
      </div>
      <QueryState query={summary} />
      {summary.data && (
        <ScoreCards
          summary={summary.data}
          isStale={summary.isPlaceholderData}
          distributions={distributions}
          experiments={compared}
          hrefOf={comparison === '' ? null : hrefOf}
        />
      )}
    </div>
  );
}

function Found(props: ExperimentProps) {
  const { experiment, path } = props;
  const source = { kind: 'experiment', id: experiment.id } as const;
  return (
    <RowsView
      source={source}
      label={`Traces of ${experiment.name}`}
      workbench={path('query')}
      whenEmpty={
        <Empty title="No events yet">
          <p>This logs the first one from a shell:</p>
          <Snippet text={insertCommand(experiment.id)} />
          <p className="waiting" role="status">
            Waiting for the first event …
          </p>
        </Empty>
      }
    >
      <Header {...props} />
      <NamedRow source={source} />
    </RowsView>
  );
}

export function ExperimentScreen(props: {
  readonly project: Project;
  readonly name: string;
  readonly path: PathInProject;
}) {
  const experiments = useExperiments(props.project);
  if (experiments.data === undefined) return <QueryState query={experiments} />;
  const experiment = named(experiments.data, props.name);
  if (experiment === undefined)
    return <Empty isPage title={`There is no experiment “${props.name}” here`} />;
  return <Found experiment={experiment} experiments={experiments.data} path={props.path} />;
}
