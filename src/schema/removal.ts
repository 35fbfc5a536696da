// Schemas of what leaves the server for good: the settings of retention, erasures, and the jobs that remove events.
import { Type, type Static } from 'typebox';
import { atMost, limits } from './limits.js';
import {
  Text,
  Timestamp,
  Uuid,
  component,
  described,
  nullable,
  omittable,
  optional,
} from './scalar.js';
import { both, never, none } from './together.js';

/** Row versions, tombstones included, and the bytes of the files that they take. */
export interface Removed {
  readonly rows: number;
  readonly bytes: number;
}

/** 100 years. */
const daysMax = 36_500;

/** The kinds of objects that have events. */
const kinds = ['project_logs', 'experiment', 'dataset'] as const;

/** Settings of projects, and of organisations for projects that lack them. */
export const retentionSettings = {
  retention_days: optional(
    Type.Integer({ minimum: 1, maximum: daysMax }),
    'Days after which traces are removed for good: whole ones whose newest row version was created earlier. In a project, null means as its organisation; else, never.',
  ),
  retention_kinds: optional(
    Type.Array(Type.Enum([...kinds]), { maxItems: kinds.length }),
    'What expires: `project_logs`, `experiment`, `dataset`; null means as the organisation of the project, or the logs; an empty list, nothing.',
  ),
};

export const OrganizationSettings = component('OrganizationSettings', retentionSettings);

export type RetentionSettings = Readonly<Static<typeof OrganizationSettings>>;

const rows = Type.Integer({ minimum: 0 });

export const Retention = component('Retention', {
  cutoff: described(
    nullable(Timestamp),
    'Traces whose newest row version was created before this time expire: the present hour less `retention_days`; null without retention.',
  ),
  rows: described(rows, 'Row versions that the next run removes.'),
  bytes: described(rows, 'Bytes of files that the next run frees, an estimate.'),
});

export const purgeBody = component(
  'Purge',
  {
    filter: omittable(
      Text,
      'Condition of the query language, as after `filter:`: events whose present row passes it are removed.',
    ),
    ids: omittable(
      Type.Array(Text, atMost(limits.purgedIds)),
      'Ids of events to remove; unknown ones are ignored.',
    ),
  },
  { documented: never(both('filter', 'ids'), none('filter', 'ids')) },
);

export type PurgeRequest = Readonly<Static<typeof purgeBody>>;

export const jobKinds = ['retention', 'purge'] as const;

export type JobKind = (typeof jobKinds)[number];

export const jobStates = ['running', 'done', 'failed'] as const;

export type JobState = (typeof jobStates)[number];

export const StartedJob = component('StartedJob', {
  id: described(Uuid, 'Id of the job: `GET /v1/job/{id}` has its state.'),
});

export const Job = component('Job', {
  id: described(Uuid, 'Unique id.'),
  kind: described(Type.Enum([...jobKinds]), 'Who asked: the retention of a project, or a purge.'),
  state: described(
    Type.Enum([...jobStates]),
    'State. Jobs run one after the other; `running` includes waiting for the one before.',
  ),
  rows: described(rows, 'Row versions that it removed; an estimate until it is done.'),
  bytes: described(rows, 'Bytes of files that it freed; an estimate until it is done.'),
  started: described(Timestamp, 'Time of the request.'),
  finished: described(nullable(Timestamp), 'Time of the end; null while it runs.'),
  error: described(nullable(Text), 'Why it failed; null unless it did.'),
});
