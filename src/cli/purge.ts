// `evalstore purge`: removes events of a project for good, and waits for it.
import { setTimeout as delay } from 'node:timers/promises';
import type { EventObjectKind } from '../schema/event-row.js';
import type { Job, StartedJob } from '../schema/removal.js';
import type { Static } from 'typebox';
import { connect, type Client } from './connection.js';
import { UsageError, type Context } from './context.js';
import { startProgress } from './progress.js';
import { patient } from './retries.js';

export interface PurgeOptions {
  readonly project?: string;
  readonly experiment?: string;
  readonly dataset?: string;
  readonly logs?: boolean;
  readonly filter?: string;
  readonly id: readonly string[];
  readonly json?: boolean;
}

/** Milliseconds between two looks at the job. */
const lookMs = 250;

interface Target {
  readonly kind: EventObjectKind;
  /** Null for the logs. */
  readonly name: string | null;
}

function targetOf({ experiment, dataset, logs }: PurgeOptions): Target {
  const named: Target[] = [];
  if (experiment !== undefined) named.push({ kind: 'experiment', name: experiment });
  if (dataset !== undefined) named.push({ kind: 'dataset', name: dataset });
  if (logs === true) named.push({ kind: 'project_logs', name: null });
  const [target] = named;
  if (target === undefined || named.length > 1)
    throw new UsageError('say where the events are with one of --experiment, --dataset and --logs');
  return target;
}

const whatOf = ({ filter, id }: PurgeOptions) => {
  if ((filter === undefined) === (id.length === 0))
    throw new UsageError('say which events go with either --filter or --id');
  return filter === undefined ? { ids: id } : { filter };
};

async function idOf(
  client: Client,
  kind: 'project' | 'experiment' | 'dataset',
  name: string,
  projectId: string | null,
): Promise<string> {
  const search = new URLSearchParams({ [`${kind}_name`]: name, limit: '1' });
  if (projectId !== null) search.set('project_id', projectId);
  const list = `/v1/${kind}?${search.toString()}`;
  const { objects } = await client.get<{ objects: readonly { readonly id: string }[] }>(list);
  const [found] = objects;
  if (found === undefined)
    throw new Error(
      `there is no ${kind} "${name}" ${projectId === null ? `at ${client.url}` : 'in the project'}`,
    );
  return found.id;
}

async function endOf(client: Client, context: Context, id: string): Promise<Static<typeof Job>> {
  const progress = startProgress(context, { label: 'removing', unit: 'row versions' });
  try {
    for (let shown = 0; ;) {
      const job = await client.get<Static<typeof Job>>(`/v1/job/${id}`);
      progress.add(job.rows - shown);
      shown = job.rows;
      if (job.state !== 'running') return job;
      await delay(lookMs);
    }
  } finally {
    progress.end();
  }
}

/** @throws UsageError unless the options name one object and what goes; Error with a sentence for what is refused or fails */
export async function purge(context: Context, options: PurgeOptions): Promise<void> {
  const { project, json = false } = options;
  if (project === undefined) throw new UsageError('name the project of the events with --project');
  const [{ kind, name }, what] = [targetOf(options), whatOf(options)];
  const client = patient(connect(context), true);
  const projectId = await idOf(client, 'project', project, null);
  const id = name === null ? projectId : await idOf(client, kind as 'experiment', name, projectId);
  const started = await client.post<Static<typeof StartedJob>>(`/v1/${kind}/${id}/purge`, what);
  const job = await endOf(client, context, started.id);
  if (job.state === 'failed') throw new Error(`the job ${job.id} failed: ${job.error}`);
  context.print(
    json
      ? JSON.stringify(job)
      : `removed ${job.rows} row versions, ${(job.bytes / 1e6).toFixed(1)} MB`,
  );
}
