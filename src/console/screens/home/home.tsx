// All projects, with their recent activity.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { ManageMenu } from '../../kit/manage-menu.js';
import { InlineForm } from '../../kit/inline-form.js';
import { ListTable } from '../../kit/list-table.js';
import { go, Link, nameInPath, pathOf } from '../../kit/location.js';
import { useShortcuts } from '../../kit/shortcuts.js';
import { Empty, Failure, QueryState, Snippet } from '../../kit/states.js';
import { dateText, numberText, sinceText } from '../../kit/format.js';
import { listKey, useProjects, type Project } from '../../server/objects.js';
import { quoted, textOf } from '../../server/clauses.js';
import { rowsOf } from '../../server/query.js';
import { readJson, serverAddress } from '../../server/request.js';
import { dayStarts } from './days.js';
import { NewestExperiment } from './newest-experiment.js';
import { Spark } from './spark.js';

const activityDays = 14;

interface Day {
  readonly project_id: string;
  readonly day: string;
  readonly rows: number;
  readonly errors: number;
  readonly latest: string;
}

const activityQuery = (projects: readonly Project[], since: Date): string =>
  textOf({
    dimensions: 'project_id, day(created) as day',
    measures: 'count(*) as rows, count(error) as errors, max(created) as latest',
    from: `project(${projects.map(({ id }) => quoted(id)).join(', ')})`,
    filter: `created >= ${quoted(since.toISOString())}`,
  });

function useActivity(projects: readonly Project[]) {
  const ids = projects.map(({ id }) => id).join(' ');
  return useQuery({
    queryKey: ['activity', ids],
    enabled: projects.length > 0,
    queryFn: ({ signal }) => {
      const [since] = dayStarts(activityDays, new Date());
      return rowsOf<Day>(activityQuery(projects, new Date(since!)), { signal });
    },
    refetchInterval: 30_000,
  });
}

function NewProject({ done }: { readonly done: (project: Project) => void }) {
  const client = useQueryClient();
  const create = async (form: HTMLFormElement) => {
    const name = (new FormData(form).get('name') as string).trim();
    const project = await readJson<Project>('/v1/project', { method: 'POST', body: { name } });
    await client.invalidateQueries({ queryKey: listKey('project') });
    done(project);
  };
  return (
    <InlineForm action="Create" title="Create a project" run={create}>
      <input name="name" aria-label="Name of the new project" placeholder="New project" required />
    </InlineForm>
  );
}

/** @param latest the time of the latest row in the days of activity; empty for none */
const lastText = (latest: string): string =>
  latest === '' ? `None in ${activityDays} days` : sinceText(latest);

function ProjectRow({
  organisation,
  project,
  activity,
}: {
  readonly organisation: string;
  readonly project: Project;
  /** Null until it is known. */
  readonly activity: readonly Day[] | null;
}) {
  const days = activity ?? [];
  const rows = days.reduce((sum, day) => sum + day.rows, 0);
  const errors = days.reduce((sum, day) => sum + day.errors, 0);
  const latest = days.reduce((last, day) => (day.latest > last ? day.latest : last), '');
  return (
    <tr>
      <td className="cut">
        <Link href={pathOf(organisation, 'p', nameInPath(project), 'logs')}>{project.name}</Link>
      </td>
      <td>
        <Spark
          days={activityDays}
          counts={new Map(days.map((day) => [day.day, day]))}
          label={`${numberText(rows)} rows in ${activityDays} days`}
        />
      </td>
      <td className="number">{activity === null ? '…' : numberText(rows)}</td>
      <td className={errors > 0 ? 'number bad' : 'number'}>
        {activity === null ? '…' : numberText(errors)}
      </td>
      <td title={latest}>{activity === null ? '…' : lastText(latest)}</td>
      <NewestExperiment
        project={project}
        hrefOf={(name) => pathOf(organisation, 'p', nameInPath(project), 'experiments', name)}
      />
      <td title={project.created}>{dateText(project.created)}</td>
      <td>
        <ManageMenu kind="project" object={project} projectId={null} />
      </td>
    </tr>
  );
}

const firstEvent = `export EVALSTORE_URL=${serverAddress}
export EVALSTORE_KEY=<your key>
PROJECT=$(curl -s $EVALSTORE_URL/v1/project -H "Authorization: Bearer $EVALSTORE_KEY" \\
  -d '{"name": "my-project"}' | grep -o '"id":"[^"]*' | cut -c7-)
curl -s $EVALSTORE_URL/v1/project_logs/$PROJECT/insert -H "Authorization: Bearer $EVALSTORE_KEY" \\
  -d '{"events": [{"input": "Where is my order?", "output": "On its way.", "scores": {"helpful": 1}}]}'`;

const NoProjects = () => (
  <Empty title="No projects yet">
    <p>
      A project holds logs, experiments and datasets. This command creates one and logs its first
      event:
    </p>
    <Snippet text={firstEvent} />
    <p className="waiting" role="status">
      Waiting for the first project …
    </p>
  </Empty>
);

function Projects({
  organisation,
  projects,
}: {
  readonly organisation: string;
  readonly projects: readonly Project[];
}) {
  const activity = useActivity(projects);
  const [search, setSearch] = useState('');
  useShortcuts([
    { key: '/', label: 'Search', run: () => document.getElementById('project-search')?.focus() },
  ]);
  const byProject = Map.groupBy(activity.data ?? [], ({ project_id }) => project_id);
  const shown = projects.filter(({ name }) => name.toLowerCase().includes(search.toLowerCase()));
  return (
    <>
      {activity.error && <Failure error={activity.error} retry={activity.refetch} />}
      <p style={{ marginBottom: 'var(--space-3)' }}>
        <input
          id="project-search"
          className="search"
          type="search"
          placeholder="Search projects"
          aria-label="Search projects"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
      </p>
      <ListTable
        label="Projects"
        head={
          <>
            <th>Project</th>
            <th>Last {activityDays} days</th>
            <th className="number">Rows</th>
            <th className="number">Errors</th>
            <th>Last row</th>
            <th>Newest experiment</th>
            <th>Created</th>
            <th>
              <span className="hidden">Manage</span>
            </th>
          </>
        }
      >
        {shown.map((project) => (
          <ProjectRow
            key={project.id}
            organisation={organisation}
            project={project}
            activity={activity.data === undefined ? null : (byProject.get(project.id) ?? [])}
          />
        ))}
      </ListTable>
      {shown.length === 0 && <p className="loading">No project has “{search}” in its name.</p>}
    </>
  );
}

/** The refresh interval of the list, in milliseconds. The first project appears soon. */
const firstProjectMs = 2_000;

export function Home({ organisation }: { readonly organisation: string }) {
  const projects = useProjects(firstProjectMs);
  useEffect(() => {
    document.title = `Projects · ${organisation} · Evalstore`;
  }, [organisation]);
  return (
    <div className="page">
      <header>
        <h1>Projects</h1>
        <NewProject
          done={(project) => go(pathOf(organisation, 'p', nameInPath(project), 'logs'))}
        />
      </header>
      <QueryState query={projects} />
      {projects.data?.length === 0 && <NoProjects />}
      {projects.data !== undefined && projects.data.length > 0 && (
        <Projects organisation={organisation} projects={projects.data} />
      )}
    </div>
  );
}
