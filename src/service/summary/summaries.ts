// Summaries of experiments and datasets.
import type { ObjectHeader } from '../../catalog/header.js';
import { recordCount } from '../../query/sql/counted-branches.js';
import { summaryQueries } from '../../query/summary/summary-query.js';
import type {
  DatasetSummary,
  DatasetSummaryRequest,
  ExperimentSummary,
  ExperimentSummaryRequest,
} from '../../schema/summary.js';
import type { EventRelation } from '../../schema/event-relation.js';
import type { Snapshot } from '../../store/event-store.js';
import { requireObject } from '../access/access.js';
import { comparisonOf } from './comparison.js';
import type { Caller, Services } from '../context.js';
import { placeOf } from '../links.js';
import { rootsThatPass, sliceOf, type Roots } from './slice.js';
import { onSnapshot, readRows, type Reading } from '../query/read-rows.js';
import { jsonReply, type Reply } from '../reply.js';
import { cachedNumbers, type SummaryNumbers } from './summary-cache.js';
import { relationFacts } from './relation-facts.js';
import { summaryOf } from './numbers.js';
import { checkPublicVersion } from '../access/public-experiments.js';
import { checkHistory, readVersion, versionHeaders } from '../version.js';

/**
 * Computes the scores and metrics of an experiment, and their differences from another one.
 * @param roots those of the traces to include; null for all traces
 */
export async function measured(
  services: Services,
  snapshot: Snapshot,
  experiment: ObjectHeader,
  comparison: ObjectHeader | null,
  signal: AbortSignal,
  roots: Roots | null = null,
): Promise<SummaryNumbers> {
  const theirs = comparison?.id ?? null;
  const ids = theirs === null ? [experiment.id] : [...new Set([experiment.id, theirs])];
  const reading = { snapshot, objectIds: ids, signal };
  const relation = roots === null ? snapshot.live(ids) : await sliceOf(reading, roots);
  const { identity = null } = relation;
  const key = identity === null ? null : JSON.stringify([identity, theirs]);
  return cachedNumbers(services, key, () => computed(reading, relation, experiment.id, theirs));
}

async function computed(
  reading: Reading,
  relation: EventRelation,
  ours: string,
  theirs: string | null,
): Promise<SummaryNumbers> {
  const { shape, members } = await relationFacts(reading, relation);
  const queries = summaryQueries(relation, members, shape, ours, theirs);
  const numbers: unknown[] = [];
  for (const { row } of queries) {
    const [part = []] = await readRows(reading, row);
    numbers.push(...part);
  }
  const measures = queries.flatMap((query) => query.measures);
  return summaryOf(measures, numbers);
}

type Named<K extends string> = {
  readonly [name in 'project_name' | 'project_url' | `${K}_name` | `${K}_url`]: string;
};

/** The first members of each summary. */
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
  jsonReply(JSON.stringify(summary), version === null ? {} : versionHeaders(version));

/**
 * @throws RequestError 403 for the experiment (401 without a key), 400 for an unreadable experiment to compare with, an invalid
 * filter or version or an exceeded budget, 401 without a key for a version from before the experiments became public, 429 if too
 * many queries wait
 */
export async function summarizeExperiment(
  services: Services,
  caller: Caller,
  id: string,
  request: ExperimentSummaryRequest,
  signal: AbortSignal,
): Promise<Reply> {
  const experiment = requireObject(services, caller, 'experiment', id);
  const summary: ExperimentSummary = namesOf(services, experiment, 'experiment');
  if (request.summarize_scores !== true) return replyOf(summary, null);
  const requested = request.comparison_experiment_id ?? null;
  const comparison = comparisonOf(services, caller, experiment, requested);
  const named = comparison === null ? {} : { comparison_experiment_name: comparison.name };
  const { filter = null, tz_offset: timeZone = 0 } = request;
  const roots = filter === null ? null : await rootsThatPass(caller, filter, timeZone, signal);
  const version = readVersion(request.version, 'version');
  for (const { id: read } of comparison === null ? [experiment] : [experiment, comparison])
    checkPublicVersion(services, caller, read, version);
  checkHistory(services, [id], version, 'version');
  const work = async (snapshot: Snapshot) => {
    const found = await measured(services, snapshot, experiment, comparison, signal, roots);
    return replyOf({ ...summary, ...named, ...found }, snapshot.version);
  };
  return onSnapshot(services, caller, work, version);
}

/** The number of records of the dataset. */
export async function recordsOf(
  snapshot: Snapshot,
  { id }: ObjectHeader,
  signal: AbortSignal,
): Promise<number> {
  const [row = []] = await readRows(
    { snapshot, objectIds: [id], signal },
    recordCount(snapshot.live([id])),
  );
  return Number(row[0]);
}

/** @throws RequestError as `summarizeExperiment` */
export async function summarizeDataset(
  services: Services,
  caller: Caller,
  id: string,
  request: DatasetSummaryRequest,
  signal: AbortSignal,
): Promise<Reply> {
  const dataset = requireObject(services, caller, 'dataset', id);
  const summary: DatasetSummary = namesOf(services, dataset, 'dataset');
  if (request.summarize_data !== true) return replyOf(summary, null);
  return onSnapshot(services, caller, async (snapshot) => {
    const total_records = await recordsOf(snapshot, dataset, signal);
    return replyOf({ ...summary, data_summary: { total_records } }, snapshot.version);
  });
}
