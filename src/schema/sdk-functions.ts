// Schemas of functions and dataset snapshots for the SDKs.
import { Type } from 'typebox';
import { functionSchemaText } from './function.js';
import { atMost, limits } from './limits.js';
import { DatasetSnapshot } from './object.js';
import { PromptData } from './prompt-data.js';
import {
  AnyObject,
  Flag,
  Name,
  Strings,
  Text,
  Uuid,
  component,
  described,
  exactly,
  optional,
  XactIdText,
} from './scalar.js';
import { xactIdSpellings } from './xact-id.js';

const FunctionInsert = Type.Object(
  {
    project_id: described(Uuid, 'Project of the function.'),
    name: described(Name, 'Name.'),
    slug: described(Name, 'Unique identifier of the function within its project.'),
    description: optional(Text, 'Description.'),
    function_data: optional(
      Type.Object({ type: described(Name, 'Kind of function, for example `parameters`.') }),
      'Definition of the function; by default, or with the type `prompt`, a prompt.',
    ),
    prompt_data: optional(PromptData, 'The prompt, the model and its parameters.'),
    function_type: optional(Text, 'Use of the function, for example `scorer`.'),
    tags: optional(Strings, 'Labels.'),
    metadata: optional(AnyObject, 'Custom data by name.'),
    function_schema: optional(AnyObject, functionSchemaText),
    environments: optional(
      Type.Array(Type.Unknown(), { documented: { maxItems: 0 } }),
      'An empty array: environments are not supported.',
    ),
    if_exists: optional(
      Type.Union([Type.Literal('error'), Type.Literal('ignore'), Type.Literal('replace')]),
      'What to do if the slug exists: refuse (`error`), keep the existing function (`ignore`), or replace it (`replace`, the default).',
    ),
  },
  { title: 'FunctionInsert' },
);

export const FunctionInserts = Type.Object({
  functions: Type.Array(FunctionInsert, {
    ...atMost(limits.functions),
    description: 'Functions, stored atomically.',
  }),
});

export const InsertedFunctions = component('InsertedFunctions', {
  functions: Type.Array(
    component('InsertedFunction', {
      id: described(Uuid, 'Unique id.'),
      project_id: described(Uuid, 'Project of the function.'),
      slug: described(Text, 'Slug of the function.'),
      found_existing: described(Flag, 'Whether the slug already existed.'),
    }),
    { description: 'The functions, in the order of the request.' },
  ),
});

const datasetId = described(Uuid, 'Dataset of the snapshot.');

export const SnapshotRegister = Type.Object({
  dataset_id: datasetId,
  dataset_snapshot_name: described(Name, 'Name, unique within the dataset.'),
  description: optional(Text, 'Description.'),
  xact_id: described(XactIdText, `Version of the dataset, ${xactIdSpellings}.`),
  update: optional(Flag, 'If the name exists, move that snapshot to this version.'),
});

export const RegisteredSnapshot = component('RegisteredSnapshot', {
  dataset_snapshot: described(DatasetSnapshot, 'The snapshot.'),
  found_existing: described(Flag, 'Whether the name already existed.'),
});

export const SnapshotFind = Type.Object({
  dataset_id: datasetId,
  name: optional(Name, 'Only the snapshot with this name.'),
  xact_id: optional(XactIdText, `Only snapshots of this version, ${xactIdSpellings}.`),
});

export const FoundSnapshots = Type.Array(DatasetSnapshot);

const snapshotId = described(Uuid, 'Id of the snapshot.');

export const SnapshotPatch = Type.Object({
  id: snapshotId,
  name: optional(Name, 'New name.'),
  description: optional(Text, 'New description.'),
});

export const SnapshotDelete = Type.Object({ id: snapshotId });

export const RestoreBody = exactly({
  version: described(XactIdText, `Version to restore: a transaction id ${xactIdSpellings}.`),
});

const Count = Type.Integer({ minimum: 0 });

export const RestorePreview = component('RestorePreview', {
  rows_to_restore: described(Count, 'Number of records that were changed or deleted since.'),
  rows_to_delete: described(Count, 'Number of records that were added since.'),
});

export const Restored = component('Restored', {
  xact_id: described(
    Type.Union([Type.String(), Type.Null()]),
    'Transaction of the restore; null if nothing changed.',
  ),
  rows_restored: described(Count, 'Number of restored records.'),
  rows_deleted: described(Count, 'Number of deleted records.'),
});
