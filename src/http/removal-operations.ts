// The operations that remove events for good: retention, erasure, and their jobs.
import { plainJson } from '../json/tree.js';
import type { EventObjectKind } from '../schema/event-row.js';
import { Job, Retention, StartedJob, purgeBody, type PurgeRequest } from '../schema/removal.js';
import { getJob } from '../service/removal/jobs.js';
import { purgeEvents } from '../service/removal/purge.js';
import { previewRetention, runRetention } from '../service/removal/retention.js';
import { operation, type DocumentedOperation } from './operation.js';
import { queryWeight } from './rate-limit.js';
import { wordsOf } from './resource-names.js';

export const purgeOperation = (path: string, kind: EventObjectKind): DocumentedOperation => {
  const { name, group, one } = wordsOf[kind];
  return operation('post', `${path}/:id/purge`, {
    name: `purge${name}Events`,
    group,
    summary: `Remove events of ${one} for good, with all versions, feedback and attachments: those that pass a filter, or those with ids. Starts a job`,
    weight: queryWeight,
    body: { kind: 'required', schema: purgeBody },
    answer: StartedJob,
    run: ({ services, caller, id, body, signal }) =>
      purgeEvents(services, caller, kind, id, plainJson(body) as PurgeRequest, signal()),
  });
};

export const removalOperations: readonly DocumentedOperation[] = [
  operation('get', '/v1/project/:id/retention', {
    name: 'previewRetention',
    group: 'Projects',
    summary: 'What the retention of a project would remove now: a dry run',
    weight: queryWeight,
    answer: Retention,
    run: ({ services, caller, id, signal }) => previewRetention(services, caller, id, signal()),
  }),
  operation('post', '/v1/project/:id/retention', {
    name: 'runRetention',
    group: 'Projects',
    summary: 'Remove what has expired in a project now instead of within the hour. Starts a job',
    weight: queryWeight,
    answer: StartedJob,
    run: ({ services, caller, id, signal }) => runRetention(services, caller, id, signal()),
  }),
  operation('get', '/v1/job/:id', {
    name: 'getJob',
    group: 'Jobs',
    summary:
      'State of a job that removes events. Ended jobs are kept for 30 days, at most the last 1,000',
    answer: Job,
    run: ({ services, caller, id }) => getJob(services, caller, id),
  }),
];
