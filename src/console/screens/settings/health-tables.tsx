// What uses the disk, and how maintenance goes.
import { bytesText, durationText, numberText, sinceText, timeText } from '../../kit/format.js';
import { ListTable } from '../../kit/list-table.js';
import type { MaintenanceTask, ServerStatus } from '../../server/health.js';

/** What is in a folder of the data directory. */
const kinds: Readonly<Record<string, string>> = {
  segments: 'Segments',
  log: 'Log: rows in no segment yet',
  attachments: 'Attachments',
  objects: 'Large objects',
  tmp: 'Temporary files',
  other: 'Databases and others',
};

type Kinds = Pick<ServerStatus, 'disk' | 'deleted_bytes'>;

/** By kind. A server that has just started has not measured them. */
export function DiskTable({ disk, deleted_bytes }: Kinds) {
  if (disk === null) return null;
  const folders = Object.entries(disk.folders).toSorted(([, a], [, b]) => b - a);
  const deleted = ['of which of deleted projects', deleted_bytes ?? 0] as const;
  const rows = folders.flatMap(([name, bytes]) => [
    [kinds[name] ?? name, bytes] as const,
    ...(name === 'segments' ? [deleted] : []),
  ]);
  return (
    <>
      <h2>Disk by kind</h2>
      {folders.length === 0 ? (
        <p className="muted">Not known yet: the folders are being measured.</p>
      ) : (
        <ListTable
          label="Disk by kind"
          head={
            <>
              <th>Kind</th>
              <th className="number">Size on disk</th>
            </>
          }
        >
          {rows.map(([name, bytes]) => (
            <tr key={name}>
              <td>{name}</td>
              <td className="number">{bytesText(bytes)}</td>
            </tr>
          ))}
        </ListTable>
      )}
    </>
  );
}

export const ProjectTable = ({ projects }: Pick<ServerStatus, 'projects'>) => (
  <>
    <h2>Disk by project</h2>
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
      {projects
        .toSorted((a, b) => b.bytes - a.bytes)
        .map((project) => (
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
);

const At = ({ time }: { readonly time: string | null }) =>
  time === null ? <>never</> : <span title={timeText(time)}>{sinceText(time)}</span>;

export const MaintenanceTable = ({ tasks }: { readonly tasks: readonly MaintenanceTask[] }) => (
  <>
    <h2>Maintenance</h2>
    <ListTable
      label="Maintenance"
      head={
        <>
          <th>Task</th>
          <th className="number">Runs</th>
          <th className="number">Last duration</th>
          <th>Last success</th>
          <th>Last failure</th>
          <th className="number">Failures</th>
        </>
      }
    >
      {tasks.map(({ task, runs, failures, last_seconds, succeeded, failed, is_failing }) => (
        <tr key={task}>
          <td>{task}</td>
          <td className="number">{numberText(runs)}</td>
          <td className="number">{last_seconds === null ? '–' : durationText(last_seconds)}</td>
          <td>
            <At time={succeeded} />
          </td>
          <td className={is_failing ? 'bad' : undefined}>
            <At time={failed} />
          </td>
          <td className="number">{numberText(failures)}</td>
        </tr>
      ))}
    </ListTable>
  </>
);
