// Lists the versions of a dataset: the transactions that wrote to it.
import { badRequest } from '../../errors.js';
import { versionColumns, versionRows } from '../../query/page/version-rows.js';
import type { DatasetVersionsRequest } from '../../schema/dataset-version.js';
import { hasFewRows } from '../../store/event-store.js';
import { requireEventObject } from '../access/event-objects.js';
import type { Caller, Services } from '../context.js';
import { framed } from '../query/run.js';
import { jsonType, type Reply } from '../reply.js';
import { onSnapshot } from '../query/read-rows.js';
import { readVersion, versionHeaders } from '../version.js';

/** @throws RequestError 403 for the dataset, 400 for an invalid cursor or an exceeded budget, 429 if too many queries wait */
export function listDatasetVersions(
  services: Services,
  caller: Caller,
  id: string,
  request: DatasetVersionsRequest,
  signal: AbortSignal,
): Promise<Reply> {
  const { id: objectId } = requireEventObject(services, caller, 'dataset', id);
  const before = readVersion(request.starting_after, 'starting_after');
  const after = readVersion(request.ending_before, 'ending_before');
  if (before !== null && after !== null)
    throw badRequest('starting_after and ending_before cannot be given together');
  const page = { before, after, limit: request.limit ?? Infinity };
  return onSnapshot(services, caller, async (snapshot) => {
    const history = snapshot.versions([objectId], { from: after, to: before });
    const { text } = await snapshot.collectText(versionRows(history, page), {
      queue: hasFewRows(snapshot.weight([objectId])) ? 'small' : 'heavy',
      signal,
      columns: versionColumns,
      separator: ',',
      rowsMax: Infinity,
    });
    return {
      contentType: jsonType,
      headers: versionHeaders(snapshot.version),
      ...framed('{"objects":[', text, ']}'),
    };
  });
}
