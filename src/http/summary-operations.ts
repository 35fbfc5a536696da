// The operations that summarize an experiment or a dataset.
import {
  DatasetSummary,
  DatasetSummaryParameters,
  ExperimentSummary,
  ExperimentSummaryParameters,
} from '../schema/summary.js';
import { summarizeDataset, summarizeExperiment } from '../service/summary/summaries.js';
import { answersJson, type DocumentedOperation } from './operation.js';

const experimentSummary: DocumentedOperation = {
  method: 'get',
  path: '/v1/experiment/:id/summarize',
  query: ExperimentSummaryParameters,
  about: {
    name: 'summarizeExperiment',
    group: 'Experiments',
    summary: 'Summarize the scores and metrics of an experiment, compared with another',
    answers: answersJson(ExperimentSummary),
    headers: ['x-evalstore-version'],
  },
  run: ({ services, caller, id, query, signal }) =>
    summarizeExperiment(services, caller, id, query, signal()),
};

const datasetSummary: DocumentedOperation = {
  method: 'get',
  path: '/v1/dataset/:id/summarize',
  query: DatasetSummaryParameters,
  about: {
    name: 'summarizeDataset',
    group: 'Datasets',
    summary: 'Count the records of a dataset',
    answers: answersJson(DatasetSummary),
    headers: ['x-evalstore-version'],
  },
  run: ({ services, caller, id, query, signal }) =>
    summarizeDataset(services, caller, id, query, signal()),
};

export const summaryOperations: readonly DocumentedOperation[] = [
  experimentSummary,
  datasetSummary,
];
