// The logs of a project.
import { Empty, Snippet } from '../../kit/states.js';
import type { Project } from '../../server/objects.js';
import type { Source } from '../../server/clauses.js';
import { serverAddress } from '../../server/request.js';
import { NamedRow } from './named-row.js';
import { RowsView } from './rows-view.js';

const keyCommand = "export EVALSTORE_KEY='<your key>'";

const insertCommand = (project: Project): string =>
  `curl -s ${serverAddress}/v1/project_logs/${project.id}/insert \\
  -H "Authorization: Bearer $EVALSTORE_KEY" \\
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

export function Logs({ project, workbench }: { project: Project; workbench: string }) {
  const source: Source = { kind: 'project_logs', id: project.id };
  return (
    <RowsView
      source={source}
      label={`Logs of ${project.name}`}
      whenEmpty={<FirstEvent project={project} />}
      workbench={workbench}
    >
      <NamedRow source={source} />
    </RowsView>
  );
}
