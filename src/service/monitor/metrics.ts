// The metrics of the server, in the text format of Prometheus.
import { statfs } from 'node:fs/promises';
import { Counter, Gauge, Registry } from 'prom-client';
import { requirePrincipal } from '../access/access.js';
import type { Caller, KeyCaller, Services } from '../context.js';
import type { Reply } from '../reply.js';
import {
  allProjects,
  deletedBytes,
  canSeeServer,
  readableProjects,
  started,
  type ServerVersion,
} from './status.js';

const projectGauges = {
  segments: 'Number of segments.',
  rows: 'Row versions in segments.',
  superseded_rows: 'Superseded row versions among them.',
  bytes: 'Size of the files of the segments, in bytes.',
} as const;

function addProjects(registry: Registry, services: Services, caller: KeyCaller): void {
  const isWhole = caller.scope === 'metrics' && canSeeServer(services, caller);
  const projects = (isWhole ? allProjects : readableProjects)(services, caller);
  for (const [count, help] of Object.entries(projectGauges)) {
    const gauge = new Gauge({
      name: `evalstore_project_${count}`,
      help,
      labelNames: ['project_id', 'project'],
      registers: [registry],
    });
    for (const project of projects)
      gauge.set(
        { project_id: project.project_id, project: project.project_name },
        project[count as keyof typeof projectGauges],
      );
  }
}

function addVersion(registry: Registry, { version, commit }: ServerVersion): void {
  new Gauge({
    name: 'evalstore_info',
    help: 'Version of the server and commit of the build.',
    labelNames: ['version', 'commit'],
    registers: [registry],
  }).set({ version, commit: commit ?? '' }, 1);
}

const taskCounters = {
  runs: ['runs_total', 'Runs of the task since the start.'],
  seconds: ['seconds_total', 'Duration of all runs.'],
  failures: ['failures_total', 'Runs that failed. They are tried again.'],
} as const;

/** Flushes, merges and purges. */
function addMaintenance(registry: Registry, { store }: Services): void {
  const tasks = Object.entries(store.stats().maintenance);
  const described = { labelNames: ['task'], registers: [registry] };
  for (const [count, [name, help]] of Object.entries(taskCounters)) {
    const counter = new Counter({ name: `evalstore_maintenance_${name}`, help, ...described });
    for (const [task, times] of tasks)
      counter.inc({ task }, times[count as keyof typeof taskCounters]);
  }
  const duration = new Gauge({
    name: 'evalstore_maintenance_last_duration_seconds',
    help: 'Duration of the last run.',
    ...described,
  });
  const failure = new Gauge({
    name: 'evalstore_maintenance_last_failure_timestamp_seconds',
    help: 'Time of the last failure; 0 if none failed since the start.',
    ...described,
  });
  for (const [task, { lastSeconds, failedAt }] of tasks) {
    duration.set({ task }, lastSeconds);
    failure.set({ task }, (failedAt ?? 0) / 1000);
  }
}

async function addServer(registry: Registry, services: Services): Promise<void> {
  const registers = [registry];
  const gauge = (name: string, help: string, value: number) =>
    new Gauge({ name, help, registers }).set(value);
  const { buffered, queries } = services.store.stats();
  gauge('evalstore_buffered_rows', 'Row versions that are in no segment yet.', buffered.rows);
  gauge('evalstore_buffered_bytes', 'Bytes of the log.', buffered.bytes);
  gauge('evalstore_queries_running', 'Number of running queries.', queries.running);
  gauge('evalstore_queries_waiting', 'Number of waiting queries.', queries.waiting);
  addMaintenance(registry, services);
  const { bavail, bsize } = await statfs(services.config.dataDir);
  gauge('evalstore_free_bytes', 'Free bytes for the data directory.', bavail * bsize);
  const deleted = deletedBytes(services);
  gauge('evalstore_deleted_bytes', 'Size of the segments of deleted projects, in bytes.', deleted);
  gauge('process_start_time_seconds', 'Start time of the process.', started / 1000);
  gauge('process_resident_memory_bytes', 'Resident memory.', process.memoryUsage.rss());
  const { user, system } = process.cpuUsage();
  new Counter({ name: 'process_cpu_seconds_total', help: 'Processor time.', registers }).inc(
    (user + system) / 1e6,
  );
}

/** @throws RequestError 401 without a key */
export async function serverMetrics(
  services: Services,
  caller: Caller,
  version: ServerVersion,
): Promise<Reply> {
  const principal = requirePrincipal(caller);
  const state = new Registry();
  addVersion(state, version);
  addProjects(state, services, principal);
  if (!canSeeServer(services, principal))
    return { contentType: state.contentType, headers: {}, text: await state.metrics() };
  await addServer(state, services);
  const all = Registry.merge([state, services.requestMetrics.registry]);
  return { contentType: all.contentType, headers: {}, text: await all.metrics() };
}
