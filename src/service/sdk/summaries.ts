// Summaries with exactly the fields that the SDKs know, since some SDKs fail on others.
import { formatXactId } from '../../schema/xact-id.js';
import type { SdkComparisonRequest } from '../../schema/sdk-summary.js';
import { requireObjectInBody } from '../access/access.js';
import type { Caller, Services } from '../context.js';
import { jsonReply, textReply, type Reply } from '../reply.js';
import { onSnapshot } from '../query/read-rows.js';
import { readableExperiment } from '../summary/comparison.js';
import { measured, recordsOf } from '../summary/summaries.js';
import { versionHeaders } from '../version.js';

/**
 * Summarises an experiment, compared with another one if the request names one that the key may read: clients that go on with an
 * experiment name its base, which may have been deleted.
 * @throws RequestError 400 for an experiment that the key may not use or an exceeded budget, 429 if too many queries wait
 */
export function compareExperiments(
  services: Services,
  caller: Caller,
  { experiment_id, base_experiment_id }: SdkComparisonRequest,
  signal: AbortSignal,
): Promise<Reply> {
  const experiment = requireObjectInBody(
    services,
    caller,
    'experiment',
    experiment_id,
    'experiment_id',
  );
  const base = readableExperiment(services, caller, base_experiment_id ?? null);
  return onSnapshot(services, caller, async (snapshot) => {
    const { scores = {}, metrics = {} } = await measured(
      services,
      snapshot,
      experiment,
      base ?? null,
      signal,
    );
    return jsonReply(JSON.stringify({ scores, metrics }), versionHeaders(snapshot.version));
  });
}

/** @throws RequestError as `compareExperiments` */
export function summarizeDatasetForSdk(
  services: Services,
  caller: Caller,
  id: string,
  signal: AbortSignal,
): Promise<Reply> {
  const dataset = requireObjectInBody(services, caller, 'dataset', id, 'dataset_id');
  return onSnapshot(services, caller, async (snapshot) => {
    const total_records = await recordsOf(snapshot, dataset, signal);
    return jsonReply(JSON.stringify({ total_records }), versionHeaders(snapshot.version));
  });
}

/** A transaction id that is later than those of all answered writes and earlier than those of all later writes. */
export const presentVersion = (services: Services, caller: Caller): Promise<Reply> =>
  onSnapshot(services, caller, ({ version }) => Promise.resolve(textReply(formatXactId(version))));
