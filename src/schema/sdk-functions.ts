// Functions and snapshots of datasets as the SDKs publish and find them.
import { Type } from 'typebox';
import { DatasetSnapshot } from './object.js';
import { PromptData } from './prompt-data.js';
import {
  AnyObject,
  Flag,
  Name,
  Strings,
  Text,
  Uuid,
  closed,
  described,
  optional,
} from './scalar.js';

const FunctionInsert = Type.Object(
  {
    project_id: described(Uuid, 'Project to keep it in.'),
    name: described(Name, 'Name.'),
    slug: described(Name, 'Unique identifier within its project.'),
    description: optional(Text, 'Text that says what it is.'),
    function_data: optional(
      Type.Object({ type: described(Name, 'Kind of function, for example `parameters`.') }),
      'What the function is; a prompt when it is left out or its type is `prompt`.',
    ),
    prompt_data: optional(PromptData, 'The prompt, the model and its parameters.'),
    function_type: optional(Text, 'What it is used as, for example `scorer`.'),
    tags: optional(Strings, 'Labels.'),
    metadata: optional(AnyObject, 'Whatever you want to keep with it, by name.'),
    environments: optional(
      Type.Array(Type.Unknown()),
      'An empty array: there are no environments.',
    ),
    if_exists: optional(
      Type.Union([Type.Literal('error'), Type.Literal('ignore'), Type.Literal('replace')]),
      'What happens when the slug is taken: it is refused, stays, or is replaced, as when left out.',
    ),
  },
  { title: 'FunctionInsert' },
);

export const FunctionInserts = Type.Object({
  functions: Type.Array(FunctionInsert, { description: 'The functions, all or none stored.' }),
});

export const InsertedFunctions = Type.Object(
  {
    functions: Type.Array(
      Type.Object(
        {
          id: described(Uuid, 'Unique id.'),
          project_id: described(Uuid, 'Project that it is in.'),
          slug: described(Text, 'Its slug.'),
          found_existing: described(Flag, 'Whether its slug was taken before.'),
        },
        { ...closed, title: 'InsertedFunction' },
      ),
      { description: 'The functions, in the order of the request.' },
    ),
  },
  { ...closed, title: 'InsertedFunctions' },
);

const datasetId = described(Uuid, 'Dataset that it is of.');

export const SnapshotRegister = Type.Object({
  dataset_id: datasetId,
  dataset_snapshot_name: described(Name, 'Name, unique within the dataset.'),
  description: optional(Text, 'Text that says what it is.'),
  xact_id: described(Text, 'Version of the dataset that it stands for, in either spelling.'),
  update: optional(Flag, 'When the name is taken: move that snapshot to this version.'),
});

export const RegisteredSnapshot = Type.Object(
  {
    dataset_snapshot: described(DatasetSnapshot, 'The snapshot.'),
    found_existing: described(Flag, 'Whether the name was taken before.'),
  },
  { ...closed, title: 'RegisteredSnapshot' },
);

export const SnapshotFind = Type.Object({
  dataset_id: datasetId,
  name: optional(Name, 'Only the snapshot with this name.'),
  xact_id: optional(Text, 'Only snapshots of this version, as it was sent.'),
});

export const FoundSnapshots = Type.Array(DatasetSnapshot);

const snapshotId = described(Uuid, 'Id of the snapshot.');

export const SnapshotPatch = Type.Object({
  id: snapshotId,
  name: optional(Name, 'New name.'),
  description: optional(Text, 'New text that says what it is.'),
});

export const SnapshotDelete = Type.Object({ id: snapshotId });

export const RestoreBody = Type.Object(
  { version: described(Text, 'Version to go back to: a transaction id in either spelling.') },
  closed,
);

const Count = Type.Integer({ minimum: 0 });

export const RestorePreview = Type.Object(
  {
    rows_to_restore: described(Count, 'Records that were changed or deleted since.'),
    rows_to_delete: described(Count, 'Records that were added since.'),
  },
  { ...closed, title: 'RestorePreview' },
);

export const Restored = Type.Object(
  {
    xact_id: described(
      Type.Union([Type.String(), Type.Null()]),
      'Transaction of the restored records; null when there was nothing to do.',
    ),
    rows_restored: described(Count, 'Records that are as they were again.'),
    rows_deleted: described(Count, 'Records that were added since, and are deleted now.'),
  },
  { ...closed, title: 'Restored' },
);
