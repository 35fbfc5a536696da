// The shapes of events as clients insert and fetch them. The `description` of a field is what an error
// says was expected there.
import { type TProperties, type TSchema, Type } from 'typebox';
import type { EventObjectKind } from './event-row.js';

const nullable = <T extends TSchema>(schema: T, description: string) =>
  Type.Union([schema, Type.Null()], { description });

const json = Type.Unknown({ description: 'any JSON value' });
const text = nullable(Type.String(), 'a string or null');
const number = nullable(Type.Number(), 'a number or null');
const integer = nullable(Type.Integer(), 'an integer or null');
const flag = nullable(Type.Boolean(), 'a boolean or null');
const dateTime = nullable(Type.String(), 'an ISO 8601 date-time or null');

const texts = nullable(
  Type.Array(Type.String({ description: 'a string' })),
  'an array of strings or null',
);

/** Other names may have any value. */
const open = (properties: TProperties) => nullable(Type.Object(properties), 'an object or null');

const score = Type.Union([Type.Number(), Type.Boolean(), Type.Null()], {
  description: 'a finite number or null',
});

const metrics = open({
  start: Type.Optional(number),
  end: Type.Optional(number),
  prompt_tokens: Type.Optional(number),
  completion_tokens: Type.Optional(number),
  tokens: Type.Optional(number),
});

const context = open({
  caller_functionname: Type.Optional(text),
  caller_filename: Type.Optional(text),
  caller_lineno: Type.Optional(integer),
});

const recordFields = {
  id: nullable(Type.String({ minLength: 1 }), 'a non-empty string or null'),
  input: json,
  expected: json,
  metadata: open({}),
  tags: texts,
  created: dateTime,
  error: json,
  origin: open({}),
  span_id: text,
  root_span_id: text,
  span_parents: texts,
  _object_delete: flag,
  _is_merge: flag,
  _merge_paths: nullable(
    Type.Array(
      Type.Array(Type.String({ description: 'a string' }), { description: 'an array of strings' }),
    ),
    'an array of paths or null',
  ),
  _parent_id: text,
};

const spanFields = {
  ...recordFields,
  output: json,
  scores: nullable(Type.Object({}, { additionalProperties: score }), 'an object or null'),
  metrics,
  context,
  span_attributes: open({ name: Type.Optional(text), type: Type.Optional(text) }),
};

const ProjectLogEventInsert = Type.Partial(Type.Object(spanFields));
const ExperimentEventInsert = Type.Partial(Type.Object({ ...spanFields, dataset_record_id: text }));
const DatasetRecordInsert = Type.Partial(Type.Object(recordFields));

/** One item of `events` in the body of an insert. */
export const eventInserts = {
  project_logs: ProjectLogEventInsert,
  experiment: ExperimentEventInsert,
  dataset: DatasetRecordInsert,
} as const satisfies Record<EventObjectKind, TSchema>;

/** Every field that some kind of event can be inserted with. */
export type InsertField = keyof typeof ExperimentEventInsert.properties;

/** Former names of fields, still accepted. */
export const oldEventNames: Readonly<
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
  'classifications',
  '_pagination_key',
]);

/** Fields that fetched rows carry and an insert does not store, so that a row can be posted back. */
export const isIgnoredEventField = (name: string): boolean =>
  ignoredFields.has(name) || name.startsWith('_audit');

const fetchedRecord = {
  id: Type.String(),
  _xact_id: Type.String(),
  created: Type.String({ format: 'date-time' }),
  project_id: Type.String({ format: 'uuid' }),
  input: json,
  expected: json,
  error: json,
  metadata: open({}),
  tags: texts,
  origin: open({}),
  span_id: Type.String(),
  root_span_id: Type.String(),
  is_root: Type.Boolean(),
};

const fetchedSpan = {
  ...fetchedRecord,
  output: json,
  scores: nullable(Type.Object({}, { additionalProperties: number }), 'an object or null'),
  metrics,
  context,
  span_parents: texts,
  span_attributes: open({ name: Type.Optional(text), type: Type.Optional(text) }),
};

/** One item of `events` in the response of a fetch: every field is there, null where absent. */
export const fetchedEvents = {
  project_logs: Type.Object({
    ...fetchedSpan,
    org_id: Type.String({ format: 'uuid' }),
    log_id: Type.Literal('g'),
  }),
  experiment: Type.Object({
    ...fetchedSpan,
    experiment_id: Type.String({ format: 'uuid' }),
    dataset_record_id: text,
  }),
  dataset: Type.Object({ ...fetchedRecord, dataset_id: Type.String({ format: 'uuid' }) }),
} as const satisfies Record<EventObjectKind, TSchema>;
