// The operations that summarize an experiment or a dataset.
import {
  DatasetSummary,
  DatasetSummaryParameters,
  ExperimentSummary,
  ExperimentSummaryParameters,
} from '../schema/summary.js';
import { summarizeDataset, summarizeExperiment } from '../service/summary/summaries.js';
import { operation, type DocumentedOperation } from './operation.js';

export const summaryOperations: readonly DocumentedOperation[] = [
  operation('get', '/v1/experiment/:id/summarize', {
    name: 'summarizeExperiment',
    group: 'Experiments',
    summary: 'Summarize the scores and metrics of an experiment, compared with another',
    query: ExperimentSummaryParameters,
    answer: ExperimentSummary,
    headers: ['x-evalstore-version'],
    run: ({ services, caller, id, query, signal }) =>
      summarizeExperiment(services, caller, id, query, signal()),
  }),
  operation('get', '/v1/dataset/:id/summarize', {
    name: 'summarizeDataset',
    group: 'Datasets',
    summary: 'Count the records of a dataset',
    query: DatasetSummaryParameters,
    answer: DatasetSummary,
    headers: ['x-evalstore-version'],
    run: ({ services, caller, id, query, signal }) =>
      summarizeDataset(services, caller, id, query, signal()),
  }),
];
