// The health of the server: its disk, its buffer, its maintenance and its queries.
import {
  bytesText,
  countText,
  durationText,
  numberText,
  sinceText,
  timeText,
} from '../../kit/format.js';
import { QueryState } from '../../kit/states.js';
import { useStatus, type Disk, type ServerStatus } from '../../server/health.js';
import { HealthQueries } from './health-queries.js';
import { DiskTable, MaintenanceTable, ProjectTable } from './health-tables.js';

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

function leftText({ growth_bytes_per_day: growth, days_left }: Disk): string {
  if (growth === null) return 'not known yet: growth is measured for an hour';
  if (days_left === null) return 'nothing grows';
  const days = days_left < 1 ? 'less than a day' : countText(Math.floor(days_left), 'day');
  return `${days}, at ${bytesText(growth)} a day`;
}

type Fact = readonly [string, string | null, string?];

function factsOf(status: ServerStatus): readonly Fact[] {
  const { version, commit, started, buffered, queries, disk, projects, last_xact_id } = status;
  return [
    ['Version', commit === null ? version : `${version} (${commit.slice(0, 7)})`],
    ['Started', sinceText(started), timeText(started)],
    ['Free on disk', disk && bytesText(disk.free_bytes)],
    ['Disk is full in', disk && leftText(disk)],
    ['Queries', queries && `${queries.running} running, ${queries.waiting} waiting`],
    ['Buffered', buffered && `${countText(buffered.rows, 'row')}, ${bytesText(buffered.bytes)}`],
    [
      'Oldest buffered row',
      buffered && (buffered.rows === 0 ? 'none' : `${durationText(buffered.age_seconds)} old`),
    ],
    [
      'In segments',
      `${numberText(sum(projects.map(({ rows }) => rows)))} rows, ${bytesText(sum(projects.map(({ bytes }) => bytes)))}`,
    ],
    ['Last transaction', last_xact_id],
  ];
}

function Facts({ status }: { readonly status: ServerStatus }) {
  return (
    <dl className="facts panel">
      {factsOf(status).map(([name, text, title]) =>
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

export function Health() {
  const status = useStatus();
  const { data } = status;
  const names = new Map(data?.projects.map((each) => [each.project_id, each.project_name]));
  return (
    <>
      <header>
        <h1>Health</h1>
        {data && !status.error && <span className="chip good">running</span>}
      </header>
      <QueryState query={status} />
      {data && (
        <div className="health">
          <Facts status={data} />
          <HealthQueries names={names} />
          {data.maintenance && <MaintenanceTable tasks={data.maintenance} />}
          <DiskTable disk={data.disk} deleted_bytes={data.deleted_bytes} />
          <ProjectTable projects={data.projects} />
        </div>
      )}
    </>
  );
}
