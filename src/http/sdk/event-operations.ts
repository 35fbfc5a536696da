// The operations by which SDKs write rows and read summaries.
import { LogRows, LoggedRows } from '../../schema/sdk-logs.js';
import {
  SdkComparison,
  SdkComparisonParameters,
  SdkDatasetParameters,
  SdkDatasetSummary,
  TransactionId,
  type SdkComparisonRequest,
} from '../../schema/sdk-summary.js';
import { storeLogs } from '../../service/sdk/logs.js';
import {
  compareExperiments,
  presentVersion,
  summarizeDatasetForSdk,
} from '../../service/sdk/summaries.js';
import { operation, type DocumentedOperation } from '../operation.js';

const group = 'SDKs';

export const sdkEventOperations: readonly DocumentedOperation[] = [
  operation('post', '/logs3', {
    name: 'storeLogs',
    group,
    summary: 'Store rows of any objects in one transaction; invalid rows are left out',
    body: { kind: 'bytes', shown: LogRows },
    answer: LoggedRows,
    headers: ['x-evalstore-version'],
    run: ({ services, caller, bytes, reserve, signal }) =>
      storeLogs(services, caller, { bytes, reserve, signal }),
  }),
  operation('get', '/experiment-comparison2', {
    name: 'compareExperiments',
    group,
    summary: 'Summarize an experiment, compared with another',
    query: SdkComparisonParameters,
    answer: SdkComparison,
    run: ({ services, caller, query, signal }) =>
      compareExperiments(services, caller, query as SdkComparisonRequest, signal()),
  }),
  operation('get', '/dataset-summary', {
    name: 'sumUpDataset',
    group,
    summary: 'Count the records of a dataset',
    query: SdkDatasetParameters,
    answer: SdkDatasetSummary,
    run: ({ services, caller, query, signal }) =>
      summarizeDatasetForSdk(services, caller, query['dataset_id'] as string, signal()),
  }),
  operation('get', '/xact-id', {
    name: 'getTransactionId',
    group,
    summary: 'Return the current transaction id',
    answers: { 'text/plain': TransactionId },
    run: ({ services, caller }) => presentVersion(services, caller),
  }),
];
