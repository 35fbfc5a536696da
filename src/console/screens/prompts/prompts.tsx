// The prompts of a project.
import { dateText, sinceText } from '../../kit/format.js';
import { ListTable } from '../../kit/list-table.js';
import { Link, nameInPath } from '../../kit/location.js';
import { Empty, QueryState, Snippet } from '../../kit/states.js';
import type { RawRow } from '../../json/scan.js';
import type { Project } from '../../server/objects.js';
import { serverAddress } from '../../server/request.js';
import type { PathInProject } from '../objects/datasets.js';
import { field, usePrompts, writtenAt } from './versions.js';

const createCommand = (project: Project): string =>
  `curl -s ${serverAddress}/v1/prompt -H "Authorization: Bearer $EVALSTORE_KEY" \\
  -d '{"project_id": "${project.id}", "name": "Answer", "slug": "answer",
    "prompt_data": {"prompt": {"type": "completion", "content": "Answer: {{input}}"}}}'`;

const PromptRow = ({ row, path }: { readonly row: RawRow; readonly path: PathInProject }) => (
  <tr>
    <td className="cut">
      <Link href={path('prompts', nameInPath({ name: field(row, 'slug'), id: field(row, 'id') }))}>
        {field(row, 'name')}
      </Link>
    </td>
    <td className="cut">
      <code>{field(row, 'slug')}</code>
    </td>
    <td className="cut muted">{field(row, 'description') || '–'}</td>
    <td>{sinceText(new Date(writtenAt(row)).toISOString())}</td>
    <td>{dateText(field(row, 'created'))}</td>
  </tr>
);

export default function Prompts({ project, path }: { project: Project; path: PathInProject }) {
  const prompts = usePrompts(project);
  const rows = prompts.data?.rows ?? [];
  return (
    <div className="page">
      <header>
        <h1>Prompts</h1>
      </header>
      <QueryState query={prompts} />
      {prompts.data?.rows.length === 0 && (
        <Empty title="No prompts yet">
          <p>Every change of a prompt creates a version. This command creates a prompt:</p>
          <Snippet text={createCommand(project)} />
          <p className="waiting" role="status">
            Waiting for the first prompt …
          </p>
        </Empty>
      )}
      {rows.length > 0 && (
        <ListTable
          label="Prompts"
          head={
            <>
              <th>Prompt</th>
              <th>Slug</th>
              <th>Description</th>
              <th>Changed</th>
              <th>Created</th>
            </>
          }
        >
          {rows.map((row) => (
            <PromptRow key={field(row, 'id')} row={row} path={path} />
          ))}
        </ListTable>
      )}
    </div>
  );
}
