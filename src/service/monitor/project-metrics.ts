// The metrics by project. The number of series is bounded: the projects with the most bytes have their own.
import { Counter, Gauge, type Registry } from 'prom-client';
import type { KeyCaller, Services } from '../context.js';
import { allProjects, canSeeServer, readableProjects } from './project-sizes.js';

/** Projects with series of their own. The others are summed. */
const projectsMax = 1000;

const gauges = {
  segments: 'Number of segments.',
  rows: 'Row versions in segments.',
  superseded_rows: 'Superseded row versions among them.',
  bytes: 'Size of the files of the segments, in bytes.',
} as const;

const counters = {
  events: ['events_total', 'Row versions that were inserted since the start.'],
  event_bytes: ['event_bytes_total', 'Their size in the log, in bytes.'],
  refused: [
    'refused_requests_total',
    'Requests for an object of the project, named in the path, that got a status from 400 on.',
  ],
} as const;

type Count = keyof typeof gauges | keyof typeof counters;

export type ProjectNumbers = Readonly<Record<Count, number>> & {
  readonly project_id: string;
  readonly project_name: string;
};

const sum = (a: ProjectNumbers, b: ProjectNumbers): ProjectNumbers => {
  const counts = Object.keys({ ...gauges, ...counters }) as Count[];
  const summed = counts.map((count) => [count, a[count] + b[count]] as const);
  return {
    ...(Object.fromEntries(summed) as Record<Count, number>),
    project_id: '',
    project_name: 'other projects',
  };
};

/** The projects with the most bytes, and the sum of the others if there are any. */
export function bounded(
  projects: readonly ProjectNumbers[],
  max: number = projectsMax,
): readonly ProjectNumbers[] {
  const sorted = projects.toSorted((a, b) => b.bytes - a.bytes);
  const others = sorted.slice(max);
  return others.length === 0 ? sorted : [...sorted.slice(0, max), others.reduce(sum)];
}

const labels = ({ project_id, project_name }: ProjectNumbers) => ({
  project_id,
  project: project_name,
});

export function addProjects(registry: Registry, services: Services, caller: KeyCaller): void {
  const { store, requestMetrics } = services;
  const { inserted } = store.stats();
  const isWhole = caller.scope === 'metrics' && canSeeServer(services, caller);
  const projects = bounded(
    (isWhole ? allProjects : readableProjects)(services, caller).map((project) =>
      Object.assign(project, {
        events: inserted.get(project.project_id)?.events ?? 0,
        event_bytes: inserted.get(project.project_id)?.bytes ?? 0,
        refused: requestMetrics.refusedOf.get(project.project_id) ?? 0,
      }),
    ),
  );
  const described = { labelNames: ['project_id', 'project'], registers: [registry] };
  for (const [count, help] of Object.entries(gauges)) {
    const gauge = new Gauge({ name: `evalstore_project_${count}`, help, ...described });
    for (const each of projects) gauge.set(labels(each), each[count as Count]);
  }
  for (const [count, [name, help]] of Object.entries(counters)) {
    const counter = new Counter({ name: `evalstore_project_${name}`, help, ...described });
    for (const each of projects) counter.inc(labels(each), each[count as Count]);
  }
}
