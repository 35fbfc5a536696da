// The logs of a project.
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Empty, Snippet } from '../../app/states.js';
import { change, useHref } from '../../app/location.js';
import type { Project } from '../../server/objects.js';
import { keyFieldOf, quoted, sourceText, textOf, type Source } from '../../server/clauses.js';
import { rowsOf } from '../../server/query.js';
import { serverAddress } from '../../server/request.js';
import { RowsView } from './rows-view.js';

const keyCommand = "export EVALSTORE_API_KEY='<your key>'";

const insertCommand = (project: Project): string =>
  `curl -s ${serverAddress}/v1/project_logs/${project.id}/insert \\
  -H "Authorization: Bearer $EVALSTORE_API_KEY" \\
  -d '{"events": [{"input": "Where is my order?", "output": "On its way.", "scores": {"helpful": 1}}]}'`;

const FirstEvent = ({ project }: { readonly project: Project }) => (
  <Empty title="No events yet">
    <p>Export your key in a shell:</p>
    <Snippet text={keyCommand} />
    <p>This command logs the first event:</p>
    <Snippet text={insertCommand(project)} />
    <p>
      SDKs and OpenTelemetry exporters take the same address, {serverAddress}, and the same key.
    </p>
    <p className="waiting" role="status">
      Waiting for the first event …
    </p>
  </Empty>
);

/** `oid`, which SDKs print, is the id of a row or of its span; opens its trace. */
export function useNamedRow(source: Source): void {
  const id = useHref().searchParams.get('oid');
  const found = useQuery({
    queryKey: ['named-row', source.id, id],
    queryFn: ({ signal }) =>
      rowsOf<{ id: string; key: string }>(
        textOf({
          select: `id, ${keyFieldOf(source)} as key`,
          from: sourceText(source),
          filter: `id = ${quoted(id!)} or span_id = ${quoted(id!)}`,
          limit: '1',
        }),
        { signal },
      ),
    enabled: id !== null,
  });
  // The panel of a trace says that there is no such row.
  const row = found.data && (found.data[0] ?? { id: id!, key: id! });
  useEffect(() => {
    if (row !== undefined) change({ oid: null, r: row.key, s: row.id }, true);
  }, [row]);
}

export function Logs({ project, workbench }: { project: Project; workbench: string }) {
  const source: Source = { kind: 'project_logs', id: project.id };
  useNamedRow(source);
  return (
    <RowsView
      source={source}
      label={`Logs of ${project.name}`}
      whenEmpty={<FirstEvent project={project} />}
      workbench={workbench}
    />
  );
}
