// Summaries of experiments and datasets: names and links, and what the engine computes when it is asked for.
import type { ObjectHeader } from '../catalog/header.js';
import { LRUCache } from 'lru-cache';
import type { Sql } from '../duckdb/sql.js';
import { memberNames } from '../query/summary-names.js';
import {
  recordCount,
  summaryColumns,
  summaryQuery,
  type Measure,
  type MemberName,
  type SummaryColumn,
} from '../query/summary.js';
import { traceShape, traceShapeQuery, type TraceShape } from '../query/trace-shape.js';
import type { EventRelation } from '../schema/event-relation.js';
import type {
  DatasetSummary,
  DatasetSummaryRequest,
  ExperimentSummary,
  ExperimentSummaryRequest,
  MetricSummary,
  ScoreSummary,
} from '../schema/summary.js';
import { formatXactId } from '../schema/xact-id.js';
import type { EventStore, Snapshot } from '../store/event-store.js';
import { headerForRead } from './access.js';
import { comparisonOf } from './comparison.js';
import type { Caller, Services } from './context.js';
import { placeOf } from './links.js';
import { jsonReply, type Reply } from './reply.js';
import { tInterval } from './t-interval.js';
import { versionHeader } from './version.js';

type Rows = readonly (readonly unknown[])[];

async function read(snapshot: Snapshot, query: Sql, signal: AbortSignal): Promise<Rows> {
  const rows: (readonly unknown[])[] = [];
  for await (const chunk of snapshot.stream(query, { lane: 'query', signal })) rows.push(...chunk);
  return rows;
}

/** Runs `work` on the latest snapshot. */
async function onSnapshot<T>(
  services: Services,
  work: (snapshot: Snapshot) => Promise<T>,
): Promise<T> {
  const snapshot = await services.store.snapshot();
  try {
    return await work(snapshot);
  } finally {
    await snapshot.release();
  }
}

type Numbers = Readonly<Record<SummaryColumn, number | null>>;

/** Means repeat to 15 digits only: the engine adds up in no fixed order. */
function numberOf(value: unknown): number | null {
  const number = value === null ? NaN : Number(value);
  return Number.isFinite(number) ? Number(number.toPrecision(15)) : null;
}

const numbersOf = (row: readonly unknown[], measure: number): Numbers =>
  Object.fromEntries(
    summaryColumns.map((name, index) => [
      name,
      numberOf(row[measure * summaryColumns.length + index]),
    ]),
  ) as Numbers;

/** Leaves out what is null. */
const present = <K extends string>(fields: Readonly<Record<K, number | null>>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as Partial<
    Record<K, number>
  >;

function scoreSummary({ name }: Measure, score: number, of: Numbers): ScoreSummary {
  const { diff, greater, less, count, stddev } = of;
  const diffCount = of.diff_count ?? 0;
  const interval = diff === null ? null : tInterval(diff, of.diff_stddev, diffCount);
  return {
    name,
    score,
    ...present({ diff }),
    improvements: greater ?? 0,
    regressions: less ?? 0,
    count: count ?? 0,
    ...present({ stddev }),
    diff_count: diffCount,
    ...present({ diff_low: interval?.low ?? null, diff_high: interval?.high ?? null }),
  };
}

/** Of metrics the lower value is the better one. */
const metricSummary = (
  { name, unit }: Measure,
  metric: number,
  { diff, greater, less }: Numbers,
): MetricSummary => ({
  name,
  metric,
  unit,
  ...present({ diff }),
  improvements: less ?? 0,
  regressions: greater ?? 0,
});

/** An experiment without traces has made no calls and no errors. */
const meanOf = ({ name }: Measure, { mean }: Numbers): number | null =>
  mean ?? (['llm_calls', 'tool_calls', 'errors'].includes(name) ? 0 : null);

function summaryOf(measures: readonly Measure[], row: readonly unknown[]) {
  const found = measures.flatMap((measure, index) => {
    const numbers = numbersOf(row, index);
    const mean = meanOf(measure, numbers);
    return mean === null ? [] : [{ measure, numbers, mean }];
  });
  const entries = <T>(
    kind: Measure['kind'],
    entry: (measure: Measure, mean: number, numbers: Numbers) => T,
  ): Record<string, T> =>
    Object.fromEntries(
      found
        .filter(({ measure }) => measure.kind === kind)
        .map(({ measure, mean, numbers }) => [measure.name, entry(measure, mean, numbers)]),
    );
  return { scores: entries('score', scoreSummary), metrics: entries('metric', metricSummary) };
}

/** What a summary asks of the rows before it sums them up. */
interface Nature {
  readonly shape: TraceShape;
  readonly members: readonly MemberName[];
}

const naturesMax = 1000;

/** By identity of the relation: rows that do not change keep their nature. */
const natures = new WeakMap<EventStore, LRUCache<string, Nature>>();

function naturesOf({ store }: Services): LRUCache<string, Nature> {
  const known = natures.get(store) ?? new LRUCache<string, Nature>({ max: naturesMax });
  natures.set(store, known);
  return known;
}

async function readNature(
  snapshot: Snapshot,
  relation: EventRelation,
  signal: AbortSignal,
): Promise<Nature> {
  const [counts = []] = await read(snapshot, traceShapeQuery(relation), signal);
  const names = await read(snapshot, memberNames(relation), signal);
  const members = names.map(([column, name]) => ({ column, name }) as MemberName);
  return { shape: traceShape(counts), members };
}

async function natureOf(
  services: Services,
  snapshot: Snapshot,
  relation: EventRelation,
  signal: AbortSignal,
): Promise<Nature> {
  const identity = relation.identity ?? null;
  const known = identity === null ? undefined : naturesOf(services).get(identity);
  if (known !== undefined) return known;
  const nature = await readNature(snapshot, relation, signal);
  if (identity !== null) naturesOf(services).set(identity, nature);
  return nature;
}

/** Scores and metrics of one experiment, and their distance from another one. */
async function measured(
  services: Services,
  snapshot: Snapshot,
  experiment: ObjectHeader,
  comparison: ObjectHeader | null,
  signal: AbortSignal,
): Promise<Pick<ExperimentSummary, 'scores' | 'metrics'>> {
  const theirs = comparison?.id ?? null;
  const ids = theirs === null ? [experiment.id] : [...new Set([experiment.id, theirs])];
  const relation = snapshot.live(ids);
  const { shape, members } = await natureOf(services, snapshot, relation, signal);
  const { measures, row } = summaryQuery(relation, members, shape, experiment.id, theirs);
  const [numbers = []] = await read(snapshot, row, signal);
  return summaryOf(measures, numbers);
}

type Named<K extends string> = {
  readonly [name in 'project_name' | 'project_url' | `${K}_name` | `${K}_url`]: string;
};

/** What every summary begins with. */
function namesOf<K extends 'experiment' | 'dataset'>(
  services: Services,
  header: ObjectHeader,
  kind: K,
): Named<K> {
  const { projectName, projectUrl, url } = placeOf(services, header, `${kind}s`);
  return {
    project_name: projectName,
    [`${kind}_name`]: header.name,
    project_url: projectUrl,
    [`${kind}_url`]: url,
  } as Named<K>;
}

const replyOf = (summary: object, version: bigint | null): Reply =>
  jsonReply(
    JSON.stringify(summary),
    version === null ? {} : { [versionHeader]: formatXactId(version) },
  );

/**
 * @throws RequestError 403 for the experiment (401 without a key), 400 for an experiment to compare with that
 * may not be read or a passed budget, 429 when too many queries wait
 */
export async function summarizeExperiment(
  services: Services,
  caller: Caller,
  id: string,
  request: ExperimentSummaryRequest,
  signal: AbortSignal,
): Promise<Reply> {
  const experiment = headerForRead(services, caller, 'experiment', id);
  const summary: ExperimentSummary = namesOf(services, experiment, 'experiment');
  if (request.summarize_scores !== true) return replyOf(summary, null);
  const asked = request.comparison_experiment_id ?? null;
  const comparison = comparisonOf(services, caller, experiment, asked);
  const named = comparison === null ? {} : { comparison_experiment_name: comparison.name };
  return onSnapshot(services, async (snapshot) => {
    const found = await measured(services, snapshot, experiment, comparison, signal);
    return replyOf({ ...summary, ...named, ...found }, snapshot.version);
  });
}

/** @throws RequestError as `summarizeExperiment` */
export async function summarizeDataset(
  services: Services,
  caller: Caller,
  id: string,
  request: DatasetSummaryRequest,
  signal: AbortSignal,
): Promise<Reply> {
  const dataset = headerForRead(services, caller, 'dataset', id);
  const summary: DatasetSummary = namesOf(services, dataset, 'dataset');
  if (request.summarize_data !== true) return replyOf(summary, null);
  return onSnapshot(services, async (snapshot) => {
    const [row = []] = await read(snapshot, recordCount(snapshot.live([dataset.id])), signal);
    const total_records = Number(row[0]);
    return replyOf({ ...summary, data_summary: { total_records } }, snapshot.version);
  });
}
