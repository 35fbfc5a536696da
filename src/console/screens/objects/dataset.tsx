// The records of one dataset.
import { Empty, Failure, Loading, Snippet } from '../../app/states.js';
import { named, useDatasets, type NamedObject, type Project } from '../../server/objects.js';
import { serverAddress } from '../../server/request.js';
import { useNamedRow } from '../rows/logs.js';
import { RowsView } from '../rows/rows-view.js';
import type { PathInProject } from './datasets.js';

const insertCommand = (id: string): string =>
  `curl -s ${serverAddress}/v1/dataset/${id}/insert -H "Authorization: Bearer $EVALSTORE_API_KEY" \\
  -d '{"events": [{"input": "How do I reset my password?", "expected": "Click on Forgot password."}]}'`;

function Records({ dataset, path }: { dataset: NamedObject; path: PathInProject }) {
  const source = { kind: 'dataset', id: dataset.id } as const;
  useNamedRow(source);
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
    />
  );
}

export function DatasetScreen(props: {
  readonly project: Project;
  readonly name: string;
  readonly path: PathInProject;
}) {
  const datasets = useDatasets(props.project);
  if (datasets.error && datasets.data === undefined)
    return <Failure error={datasets.error} retry={datasets.refetch} />;
  if (datasets.data === undefined) return <Loading />;
  const dataset = named(datasets.data, props.name);
  if (dataset === undefined)
    return <Empty isPage title={`There is no dataset “${props.name}” here`} />;
  return <Records dataset={dataset} path={props.path} />;
}
