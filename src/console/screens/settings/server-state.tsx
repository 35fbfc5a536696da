// The state of the server and of its store.
import { bytesText, numberText, sinceText, timeText } from '../../kit/format.js';
import { ListTable } from '../../kit/list-table.js';
import { QueryState } from '../../kit/states.js';
import { useStatus, type ServerStatus } from '../../server/access.js';

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

function Facts({ status }: { readonly status: ServerStatus }) {
  const { version, commit, started, buffered, queries, deleted_bytes, projects, last_xact_id } =
    status;
  const facts: readonly (readonly [string, string | null, string?])[] = [
    ['Version', commit === null ? version : `${version} (${commit.slice(0, 7)})`],
    ['Started', sinceText(started), timeText(started)],
    ['Queries', queries && `${queries.running} running, ${queries.waiting} waiting`],
    ['Buffered', buffered && `${numberText(buffered.rows)} rows, ${bytesText(buffered.bytes)}`],
    [
      'In segments',
      `${numberText(sum(projects.map(({ rows }) => rows)))} rows, ${bytesText(sum(projects.map(({ bytes }) => bytes)))}`,
    ],
    ['Of deleted projects', deleted_bytes === null ? null : bytesText(deleted_bytes)],
    ['Last transaction', last_xact_id],
  ];
  return (
    <dl className="facts panel">
      {facts.map(([name, text, title]) =>
        text === null ? null : (
          <div key={name}>
            <dt>{name}</dt>
            <dd title={title}>{text}</dd>
          </div>
        ),
      )}
    </dl>
  );
}

export function ServerState() {
  const status = useStatus();
  return (
    <>
      <header>
        <h1>Server</h1>
        {status.data && !status.error && <span className="chip good">running</span>}
      </header>
      <QueryState query={status} />
      {status.data && (
        <>
          <Facts status={status.data} />
          <ListTable
            label="Segments of projects"
            head={
              <>
                <th>Project</th>
                <th className="number">Segments</th>
                <th className="number">Rows in segments</th>
                <th className="number">of which superseded</th>
                <th className="number">Size on disk</th>
              </>
            }
          >
            {status.data.projects.map((project) => (
              <tr key={project.project_id}>
                <td className="cut">{project.project_name}</td>
                <td className="number">{numberText(project.segments)}</td>
                <td className="number">{numberText(project.rows)}</td>
                <td className="number">{numberText(project.superseded_rows)}</td>
                <td className="number">{bytesText(project.bytes)}</td>
              </tr>
            ))}
          </ListTable>
        </>
      )}
    </>
  );
}
