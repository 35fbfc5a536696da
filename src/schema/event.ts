// Schemas of events in inserts and fetches. The keyword `expected` of a field is for error messages, `description` for the
// reference.
import { type TProperties, type TSchema, Type } from 'typebox';
import type { EventObjectKind } from './event-row.js';
import { atMost, limits } from './limits.js';
import { component, described, omittable } from './scalar.js';

const nullable = <T extends TSchema>(schema: T, expected: string) =>
  Type.Union([schema, Type.Null()], { expected });

const json = Type.Unknown({ expected: 'any JSON value' });
const text = nullable(Type.String(), 'a string or null');
const number = nullable(Type.Number(), 'a number or null');
const integer = nullable(Type.Integer(), 'an integer or null');
const flag = nullable(Type.Boolean(), 'a boolean or null');
/** The server takes further forms of ISO 8601. */
const dateTime = nullable(
  Type.String({ documented: { format: 'date-time' } }),
  'an ISO 8601 date-time or null',
);

const texts = nullable(
  Type.Array(Type.String({ expected: 'a string' }), atMost(limits.texts)),
  'an array of strings or null',
);

/** Other names may have any value. */
const open = (properties: TProperties) => nullable(Type.Object(properties), 'an object or null');

const score = Type.Union([Type.Number(), Type.Boolean(), Type.Null()], {
  expected: 'a finite number or null',
});

const metrics = described(
  open({
    start: omittable(number, 'Start time in seconds since 1970.'),
    end: omittable(number, 'End time in seconds since 1970.'),
    prompt_tokens: omittable(number, 'Number of prompt tokens.'),
    completion_tokens: omittable(number, 'Number of completion tokens.'),
    tokens: omittable(number, 'Total number of tokens.'),
  }),
  'Measurements by name. Other names may have any value.',
);

const context = described(
  open({
    caller_functionname: omittable(text, 'Function that logged the event.'),
    caller_filename: omittable(text, 'File of that function.'),
    caller_lineno: omittable(integer, 'Line in that file.'),
  }),
  'Location in the code that logged the event. Other names may have any value.',
);

const spanAttributes = described(
  open({
    name: omittable(text, 'Name of the span.'),
    type: omittable(text, 'Type of the span, for example `llm` or `score`.'),
  }),
  'Name and type of the span. Other names may have any value.',
);

const scoresText = 'Scores by name.';
const input = described(json, 'Input of the application.');
const output = described(json, 'Output of the application.');
const expected = described(json, 'Expected output.');
const error = described(json, 'Error, if one occurred.');
const metadata = described(open({}), 'Custom data by name.');
const tags = described(texts, 'Labels.');
const origin = described(open({}), 'Object and event from which it was copied.');
const classifications = described(open({}), 'Results of classifiers, by name.');
const spanParents = described(
  texts,
  '`span_id`s of its parent spans; null for the root of a trace.',
);
const datasetRecordId = described(text, 'Id of the dataset record of this event.');

const ArrayDeletion = Type.Object(
  {
    path: described(
      Type.Array(Type.String({ expected: 'a string' }), {
        ...atMost(limits.texts),
        expected: 'an array of strings',
      }),
      'Names from a field of the event to the array.',
    ),
    delete: described(
      Type.Array(json, { ...atMost(limits.deletions), expected: 'an array' }),
      'Elements to remove.',
    ),
  },
  { title: 'ArrayDeletion', expected: 'an object with the arrays path and delete' },
);

const recordFields = {
  id: described(
    nullable(Type.String({ minLength: 1 }), 'a non-empty string or null'),
    'Id of the event, unique within its object; by default a new UUID.',
  ),
  input,
  expected,
  metadata,
  tags,
  created: described(dateTime, 'Time of the event; by default the time of the insert.'),
  error,
  origin,
  classifications,
  span_id: described(text, 'Id of the span.'),
  root_span_id: described(text, 'Id of the trace.'),
  span_parents: spanParents,
  _object_delete: described(flag, 'Deletes the event with this `id`.'),
  _is_merge: described(
    flag,
    'Merges the given fields into the event with this `id` instead of replacing it.',
  ),
  _merge_paths: described(
    nullable(
      Type.Array(
        Type.Array(Type.String({ expected: 'a string' }), {
          ...atMost(limits.texts),
          expected: 'an array of strings',
        }),
        atMost(limits.texts),
      ),
      'an array of paths or null',
    ),
    'Paths at which a merge replaces the value instead of merging it.',
  ),
  _array_delete: described(
    nullable(Type.Array(ArrayDeletion, atMost(limits.texts)), 'an array or null'),
    'Elements to remove from arrays of the event, after a merge.',
  ),
  _parent_id: described(text, 'Id of the event that is its parent span.'),
};

const spanFields = {
  ...recordFields,
  output,
  scores: described(
    nullable(Type.Object({}, { additionalProperties: score }), 'an object or null'),
    scoresText,
  ),
  metrics,
  context,
  span_attributes: spanAttributes,
};

const ProjectLogEventInsert = Type.Partial(Type.Object(spanFields), {
  title: 'ProjectLogEventInsert',
});
const ExperimentEventInsert = Type.Partial(
  Type.Object({ ...spanFields, dataset_record_id: datasetRecordId }),
  { title: 'ExperimentEventInsert' },
);
const DatasetRecordInsert = Type.Partial(Type.Object(recordFields), {
  title: 'DatasetRecordInsert',
});

/** An item of `events` in the body of an insert. */
export const eventInserts = {
  project_logs: ProjectLogEventInsert,
  experiment: ExperimentEventInsert,
  dataset: DatasetRecordInsert,
} as const satisfies Record<EventObjectKind, TSchema>;

/** All fields of inserted events of any kind. */
export type InsertField = keyof typeof ExperimentEventInsert.properties;

/** Deprecated names of fields, still accepted. */
export const deprecatedEventNames: Readonly<
  Record<EventObjectKind, Readonly<Record<string, InsertField>>>
> = {
  project_logs: { inputs: 'input' },
  experiment: { inputs: 'input' },
  dataset: { inputs: 'input', output: 'expected' },
};

const ignoredFields = new Set([
  '_xact_id',
  'org_id',
  'project_id',
  'experiment_id',
  'dataset_id',
  'log_id',
  'is_root',
  'comments',
  'audit',
  'audit_data',
  'facets',
  '_pagination_key',
]);

/** Fields of fetched rows that an insert ignores, so that a row can be inserted again. */
export const isIgnoredEventField = (name: string): boolean =>
  ignoredFields.has(name) || name.startsWith('_audit');

const fetchedRecord = {
  id: Type.String({ description: 'Id of the event, unique within its object.' }),
  _xact_id: Type.String({ description: 'Transaction that wrote this version.' }),
  created: Type.String({ format: 'date-time', description: 'Time of the event.' }),
  project_id: described(
    nullable(Type.String({ format: 'uuid' }), 'a UUID or null'),
    'Project of the event; null for a dataset without a project.',
  ),
  input,
  expected,
  error,
  metadata,
  tags,
  origin,
  classifications,
  span_id: Type.String({ description: 'Id of the span.' }),
  span_parents: spanParents,
  root_span_id: Type.String({ description: 'Id of the trace.' }),
  is_root: Type.Boolean({ description: 'Whether it is the root of its trace.' }),
};

const fetchedSpan = {
  ...fetchedRecord,
  output,
  scores: described(
    nullable(Type.Object({}, { additionalProperties: number }), 'an object or null'),
    scoresText,
  ),
  metrics,
  context,
  span_attributes: spanAttributes,
};

const uuid = (description: string) => Type.String({ format: 'uuid', description });

/** An item of `events` in the answer of a fetch. It has every field; absent ones are null. */
export const fetchedEvents = {
  project_logs: component('ProjectLogEvent', {
    ...fetchedSpan,
    org_id: uuid('Organisation of the project.'),
    log_id: Type.Literal('g', { description: 'Always `g`.' }),
  }),
  experiment: component('ExperimentEvent', {
    ...fetchedSpan,
    experiment_id: uuid('Experiment of the event.'),
    dataset_record_id: datasetRecordId,
  }),
  dataset: component('DatasetRecord', {
    ...fetchedRecord,
    dataset_id: uuid('Dataset of the object.'),
  }),
} as const satisfies Record<EventObjectKind, TSchema>;
