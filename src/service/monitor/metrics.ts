// The metrics of the server, in the text format of Prometheus.
import { Counter, Gauge, Registry } from 'prom-client';
import { requirePrincipal } from '../access/access.js';
import type { Caller, Services } from '../context.js';
import type { Reply } from '../reply.js';
import { addProjects } from './project-metrics.js';
import { canSeeServer } from './project-sizes.js';
import { serverNumbers, type ServerNumbers } from './server-numbers.js';
import { started, type ServerVersion } from './status.js';

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

/** Flushes, merges, purges and removals. */
function addMaintenance(registry: Registry, { maintenance }: ServerNumbers): void {
  const tasks = Object.entries(maintenance);
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
  const success = new Gauge({
    name: 'evalstore_maintenance_last_success_timestamp_seconds',
    help: 'Time of the last run that succeeded; 0 if none did since the start.',
    ...described,
  });
  for (const [task, { lastSeconds, failedAt, succeededAt }] of tasks) {
    success.set({ task }, (succeededAt ?? 0) / 1000);
    duration.set({ task }, lastSeconds);
    failure.set({ task }, (failedAt ?? 0) / 1000);
  }
}

/** Queries: running ones. Bodies: bytes in memory. Connections: they and running requests. */
function addBudgets(registry: Registry, { budgets, refusedInserts }: ServerNumbers): void {
  const described = { labelNames: ['budget'], registers: [registry] };
  const used = new Gauge({
    name: 'evalstore_budget_used',
    help: 'What is in use: running queries, bytes of bodies, connections and running requests.',
    ...described,
  });
  const refused = new Counter({
    name: 'evalstore_budget_refusals_total',
    help: 'Queries, bodies, connections or requests, and inserts for the disk, that were refused because the budget was used up.',
    ...described,
  });
  for (const [budget, use] of Object.entries(budgets)) {
    used.set({ budget }, use.used);
    refused.inc({ budget }, use.refused);
  }
  refused.inc({ budget: 'disk' }, refusedInserts);
}

/** Removals by retention and purges. */
function addRemovals(registry: Registry, { removals }: Services): void {
  const described = { labelNames: ['kind'], registers: [registry] };
  const rows = new Counter({
    name: 'evalstore_removed_rows_total',
    help: 'Row versions that jobs of the kind removed since the start.',
    ...described,
  });
  const bytes = new Counter({
    name: 'evalstore_removed_bytes_total',
    help: 'Bytes of files that jobs of the kind freed since the start.',
    ...described,
  });
  const failure = new Gauge({
    name: 'evalstore_job_last_failure_timestamp_seconds',
    help: 'Time of the last failure of a job of the kind; 0 if none failed since the start.',
    ...described,
  });
  for (const [kind, times] of Object.entries(removals.times)) {
    rows.inc({ kind }, times.rows);
    bytes.inc({ kind }, times.bytes);
    failure.set({ kind }, times.failedAt / 1000);
  }
}

function addFolders(registry: Registry, { disk }: ServerNumbers): void {
  const gauge = new Gauge({
    name: 'evalstore_folder_bytes',
    help: 'Bytes of the files of a folder of the data directory, at most a minute ago at the last scrape.',
    labelNames: ['folder'],
    registers: [registry],
  });
  for (const [folder, bytes] of disk.folders) gauge.set({ folder }, bytes);
}

/** Nothing without a bucket. */
function addBucket(registry: Registry, { bucket }: ServerNumbers): void {
  if (bucket === null) return;
  const registers = [registry];
  const segments = new Gauge({
    name: 'evalstore_bucket_segments',
    help: 'Segments by their state: uploaded; pending, not in the bucket yet; removed, still in the bucket.',
    labelNames: ['state'],
    registers,
  });
  segments.set({ state: 'uploaded' }, bucket.uploaded);
  segments.set({ state: 'pending' }, bucket.pending.segments);
  segments.set({ state: 'removed' }, bucket.removing);
  new Gauge({
    name: 'evalstore_bucket_pending_bytes',
    help: 'Bytes of segments that are not in the bucket yet.',
    registers,
  }).set(bucket.pending.bytes);
  new Gauge({
    name: 'evalstore_bucket_copied_timestamp_seconds',
    help: 'Time of the last copy of the manifest in the bucket, in seconds since 1970; 0 without one since the start.',
    registers,
  }).set((bucket.copiedAt ?? 0) / 1000);
  new Counter({
    name: 'evalstore_bucket_failures_total',
    help: 'Failures to write to the bucket. They are tried again.',
    registers,
  }).inc(bucket.failures);
}

/** Nothing without a cluster. */
function addCluster(registry: Registry, { cluster }: Services): void {
  if (cluster === null) return;
  const queries = new Counter({
    name: 'evalstore_cluster_queries_total',
    help: 'Queries for the Trino cluster by outcome: answered; the server answered what was declined, refused, failed or unreachable; exceeded their time; cancelled.',
    labelNames: ['outcome'],
    registers: [registry],
  });
  for (const [outcome, count] of cluster.outcomes) queries.inc({ outcome }, count);
}

async function addServer(registry: Registry, services: Services): Promise<void> {
  const registers = [registry];
  const gauge = (name: string, help: string, value: number) =>
    new Gauge({ name, help, registers }).set(value);
  const numbers = await serverNumbers(services);
  const { buffered, queries, disk } = numbers;
  gauge('evalstore_buffered_rows', 'Row versions that are in no segment yet.', buffered.rows);
  gauge('evalstore_buffered_bytes', 'Bytes of the log.', buffered.bytes);
  gauge('evalstore_queries_waiting', 'Number of waiting queries.', queries.waiting);
  const { age } = buffered;
  gauge('evalstore_buffered_age_seconds', 'Age of the oldest buffered row; 0 without one.', age);
  addMaintenance(registry, numbers);
  addBudgets(registry, numbers);
  addRemovals(registry, services);
  addFolders(registry, numbers);
  addBucket(registry, numbers);
  addCluster(registry, services);
  gauge('evalstore_free_bytes', 'Free bytes for the data directory.', disk.free);
  gauge('evalstore_disk_reserve_bytes', 'Free bytes that inserts leave.', disk.reserve);
  gauge(
    'evalstore_deleted_bytes',
    'Size of the segments of deleted projects, in bytes.',
    disk.deleted,
  );
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
