// The operation that lists the versions of a dataset.
import { listOf } from '../schema/answer.js';
import { DatasetVersion, DatasetVersionParameters } from '../schema/dataset-version.js';
import { listDatasetVersions } from '../service/event/dataset-versions.js';
import { operation, type DocumentedOperation } from './operation.js';

export const datasetVersions: DocumentedOperation = operation('get', '/v1/dataset/:id/versions', {
  name: 'listDatasetVersions',
  group: 'Datasets',
  summary: 'List the versions of a dataset: the transactions that wrote to it, newest first',
  query: DatasetVersionParameters,
  answer: listOf(DatasetVersion),
  headers: ['x-evalstore-version'],
  run: ({ services, caller, id, query, signal }) =>
    listDatasetVersions(services, caller, id, query, signal()),
});
