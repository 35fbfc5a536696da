// `evalstore stats`: the state of a server, and the sizes of its projects.
import { connect } from './connection.js';
import type { Context } from './context.js';
import { formatTable } from './table.js';

/** The answer of `GET /status`; null for what only owners see. */
interface Status {
  readonly version: string;
  readonly commit: string | null;
  readonly started: string;
  readonly buffered: { readonly rows: number; readonly bytes: number } | null;
  readonly queries: { readonly running: number; readonly waiting: number } | null;
  readonly deleted_bytes: number | null;
  readonly projects: readonly ProjectSize[];
}

interface ProjectSize {
  readonly project_name: string;
  readonly segments: number;
  readonly rows: number;
  readonly superseded_rows: number;
  readonly bytes: number;
}

const build = ({ version, commit }: Status): string =>
  commit === null ? version : `${version} (${commit.slice(0, 8)})`;

function facts(url: string, status: Status): readonly (readonly [string, string])[] {
  const { buffered, queries, deleted_bytes: deleted } = status;
  return [
    ['server', `Evalstore ${build(status)} at ${url}`],
    ['started', status.started],
    ...(buffered === null
      ? []
      : [['buffered', `${buffered.rows} rows, ${buffered.bytes} bytes`] as const]),
    ...(queries === null
      ? []
      : [['queries', `${queries.running} running, ${queries.waiting} waiting`] as const]),
    ...(deleted === null ? [] : [['deleted', `${deleted} bytes of deleted projects`] as const]),
  ];
}

const columns = ['project_name', 'segments', 'rows', 'superseded_rows', 'bytes'] as const;

/** @throws as `connect` */
export async function printStats(context: Context, isJson: boolean): Promise<void> {
  const client = connect(context);
  if (isJson) {
    context.print(await (await client.send('GET', '/status')).text());
    return;
  }
  const status = await client.get<Status>('/status');
  for (const [name, value] of facts(client.url, status))
    context.print(`${name.padEnd(8)}  ${value}`);
  const lines = status.projects.map((project) => columns.map((column) => String(project[column])));
  context.print(`\n${formatTable(columns, lines)}`);
}
