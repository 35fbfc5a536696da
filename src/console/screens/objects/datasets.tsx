// The datasets of a project.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { dateText, numberText, sinceText } from '../../kit/format.js';
import { InlineForm } from '../../kit/inline-form.js';
import { ListTable } from '../../kit/list-table.js';
import { go, Link, nameInPath } from '../../kit/location.js';
import { Empty, Failure, QueryState, Snippet } from '../../kit/states.js';
import {
  createDataset,
  listKey,
  useDatasets,
  type NamedObject,
  type Project,
} from '../../server/objects.js';
import { quoted, textOf } from '../../server/clauses.js';
import { rowsOf } from '../../server/query.js';
import { serverAddress } from '../../server/request.js';

export type PathInProject = (...rest: readonly string[]) => string;

interface Records {
  readonly dataset_id: string;
  readonly records: number;
  readonly latest: string;
}

function useRecords(datasets: readonly NamedObject[]) {
  const ids = datasets.map(({ id }) => quoted(id)).join(', ');
  return useQuery({
    queryKey: ['records', ids],
    queryFn: ({ signal }) =>
      rowsOf<Records>(
        textOf({
          dimensions: 'dataset_id',
          measures: 'count(*) as records, max(created) as latest',
          from: `dataset(${ids})`,
        }),
        { signal },
      ),
    enabled: datasets.length > 0,
    refetchInterval: 10_000,
  });
}

const createCommand = (project: Project): string =>
  `DATASET=$(curl -s ${serverAddress}/v1/dataset -H "Authorization: Bearer $EVALSTORE_KEY" \\
  -d '{"project_id": "${project.id}", "name": "questions"}' | grep -o '"id":"[^"]*' | cut -c7-)
curl -s ${serverAddress}/v1/dataset/$DATASET/insert -H "Authorization: Bearer $EVALSTORE_KEY" \\
  -d '{"events": [{"input": "How do I reset my password?", "expected": "Click on Forgot password."}]}'`;

function DatasetList({
  datasets,
  path,
}: {
  readonly datasets: readonly NamedObject[];
  readonly path: PathInProject;
}) {
  const records = useRecords(datasets);
  const byId = new Map(records.data?.map((one) => [one.dataset_id, one]));
  return (
    <>
      {records.error && <Failure error={records.error} retry={records.refetch} />}
      <ListTable
        label="Datasets"
        head={
          <>
            <th>Dataset</th>
            <th>Description</th>
            <th className="number">Records</th>
            <th>Last record</th>
            <th>Created</th>
          </>
        }
      >
        {datasets.map((dataset) => {
          const { records: count = 0, latest = null } = byId.get(dataset.id) ?? {};
          return (
            <tr key={dataset.id}>
              <td className="cut">
                <Link href={path('datasets', nameInPath(dataset))}>{dataset.name}</Link>
              </td>
              <td className="cut muted">{dataset.description ?? '–'}</td>
              <td className="number">{records.data ? numberText(count) : '…'}</td>
              <td>{latest === null ? '–' : sinceText(latest)}</td>
              <td title={dataset.created}>{dateText(dataset.created)}</td>
            </tr>
          );
        })}
      </ListTable>
    </>
  );
}

function NewDataset({ project, path }: { project: Project; path: PathInProject }) {
  const client = useQueryClient();
  const create = async (form: HTMLFormElement) => {
    const name = new FormData(form).get('name') as string;
    const dataset = await createDataset(project, name);
    await client.invalidateQueries({ queryKey: listKey('dataset', project.id) });
    go(path('datasets', nameInPath(dataset)));
  };
  return (
    <InlineForm action="Create" title="Create a dataset" run={create}>
      <input name="name" aria-label="Name of the new dataset" placeholder="New dataset" required />
    </InlineForm>
  );
}

export function Datasets({ project, path }: { project: Project; path: PathInProject }) {
  const datasets = useDatasets(project);
  return (
    <div className="page">
      <header>
        <h1>Datasets</h1>
        <NewDataset project={project} path={path} />
      </header>
      <QueryState query={datasets} />
      {datasets.data?.length === 0 && (
        <Empty title="No datasets yet">
          <p>A dataset holds the records that experiments run on. This command creates one:</p>
          <Snippet text={createCommand(project)} />
          <p className="waiting" role="status">
            Waiting for the first dataset …
          </p>
        </Empty>
      )}
      {datasets.data !== undefined && datasets.data.length > 0 && (
        <DatasetList datasets={datasets.data} path={path} />
      )}
    </div>
  );
}
