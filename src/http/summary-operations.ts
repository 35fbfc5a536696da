// The operations that sum up an experiment or a dataset.
import { DatasetSummaryParameters, ExperimentSummaryParameters } from '../schema/summary.js';
import { summarizeDataset, summarizeExperiment } from '../service/summaries.js';
import type { Operation } from './operation.js';

const experimentSummary: Operation = {
  method: 'get',
  path: '/v1/experiment/:id/summarize',
  access: { kind: 'public', of: 'experiment' },
  query: ExperimentSummaryParameters,
  run: ({ services, caller, id, query, signal }) =>
    summarizeExperiment(services, caller, id, query, signal),
};

const datasetSummary: Operation = {
  method: 'get',
  path: '/v1/dataset/:id/summarize',
  access: { kind: 'key' },
  query: DatasetSummaryParameters,
  run: ({ services, caller, id, query, signal }) =>
    summarizeDataset(services, caller, id, query, signal),
};

export const summaryOperations: readonly Operation[] = [experimentSummary, datasetSummary];
