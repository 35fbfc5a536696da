// A dataset: its records as a table, new records, imports, and the experiments that used it.
import { lazy, Suspense, useState } from 'react';
import { Dialog } from '../../kit/dialog.js';
import { ManageMenu } from '../../kit/manage-menu.js';
import { go, hrefWith, Link, nameInPath, useHref } from '../../kit/location.js';
import { Empty, QueryState, Snippet } from '../../kit/states.js';
import {
  named,
  useDatasets,
  useExperiments,
  type NamedObject,
  type Project,
} from '../../server/objects.js';
import { serverAddress } from '../../server/request.js';
import { useRowsChanged } from '../records/record-actions.js';
import { RecordEditor } from '../records/record-editor.js';
import { NamedRow } from '../rows/named-row.js';
import { RowsView } from '../rows/rows-view.js';
import type { PathInProject } from './datasets.js';

const insertCommand = (id: string): string =>
  `curl -s ${serverAddress}/v1/dataset/${id}/insert -H "Authorization: Bearer $EVALSTORE_KEY" \\
  -d '{"events": [{"input": "How do I reset my password?", "expected": "Click on Forgot password."}]}'`;

const DatasetVersions = lazy(() => import('../records/dataset-versions.js'));
const ImportDialog = lazy(() => import('../import/import-dialog.js'));

interface RecordsProps {
  readonly project: Project;
  readonly dataset: NamedObject;
  readonly path: PathInProject;
}

/** The experiments that used the dataset. */
function UsedBy({ project, dataset, path }: RecordsProps) {
  const experiments = useExperiments(project);
  const used = experiments.data?.filter(({ dataset_id }) => dataset_id === dataset.id) ?? [];
  if (used.length === 0) return null;
  return (
    <span className="chips used-by">
      <span className="muted">Used by</span>
      {used.map((experiment) => (
        <Link
          key={experiment.id}
          className="chip"
          href={path('experiments', nameInPath(experiment))}
        >
          {experiment.name}
        </Link>
      ))}
    </span>
  );
}

function Header(props: RecordsProps) {
  const [isImporting, setImporting] = useState(false);
  const [isAdding, setAdding] = useState(false);
  const href = useHref();
  const changed = useRowsChanged();
  const source = { kind: 'dataset', id: props.dataset.id } as const;
  return (
    <header className="toolbar dataset-head">
      <h2 className="cut">{props.dataset.name}</h2>
      <UsedBy {...props} />
      <Link className="button" href={hrefWith(href, { versions: '1', r: null, s: null })}>
        Versions
      </Link>
      <button type="button" onClick={() => setAdding(true)}>
        New record
      </button>
      <button type="button" onClick={() => setImporting(true)}>
        Import
      </button>
      <ManageMenu
        kind="dataset"
        object={props.dataset}
        projectId={props.project.id}
        renamed={(next) => go(props.path('datasets', nameInPath(next)), true)}
        deleted={() => go(props.path('datasets'))}
      />
      {isAdding && (
        <Dialog title="New record" close={() => setAdding(false)}>
          <RecordEditor
            source={source}
            row={null}
            saved={() => void changed()}
            close={() => setAdding(false)}
          />
        </Dialog>
      )}
      {isImporting && (
        <Suspense>
          <ImportDialog
            source={source}
            done={() => void changed()}
            close={() => setImporting(false)}
          />
        </Suspense>
      )}
    </header>
  );
}

function Records(props: RecordsProps) {
  const { dataset, path } = props;
  const source = { kind: 'dataset', id: dataset.id } as const;
  return (
    <RowsView
      source={source}
      label={`Records of ${dataset.name}`}
      workbench={path('query')}
      whenEmpty={
        <Empty title="No records yet">
          <p>This adds the first one from a shell:</p>
          <Snippet text={insertCommand(dataset.id)} />
          <p className="waiting" role="status">
            Waiting for the first record …
          </p>
        </Empty>
      }
    >
      <Header {...props} />
      <NamedRow source={source} />
    </RowsView>
  );
}

export function DatasetScreen(props: {
  readonly project: Project;
  readonly name: string;
  readonly path: PathInProject;
}) {
  const href = useHref();
  const datasets = useDatasets(props.project);
  if (datasets.data === undefined) return <QueryState query={datasets} />;
  const dataset = named(datasets.data, props.name);
  if (dataset === undefined)
    return <Empty isPage title={`There is no dataset “${props.name}” here`} />;
  if (href.searchParams.has('versions')) return <DatasetVersions dataset={dataset} />;
  return <Records project={props.project} dataset={dataset} path={props.path} />;
}
