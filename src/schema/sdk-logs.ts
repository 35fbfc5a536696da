// The body of POST /logs3 and what is answered. Other names in rows are ignored.
import { Type } from 'typebox';
import { eventInserts } from './event.js';
import { atMost, limits } from './limits.js';
import { AnyObject, Text, Uuid, closed, described, nullable, optional } from './scalar.js';

const ArrayDeletion = Type.Object(
  {
    path: Type.Array(Text, { description: 'Names from the event down to the array.' }),
    delete: Type.Array(Type.Unknown(), { description: 'Elements to remove from it.' }),
  },
  { ...closed, title: 'ArrayDeletion' },
);

const LogRow = Type.Object(
  {
    experiment_id: optional(Uuid, 'Experiment that the row belongs to.'),
    dataset_id: optional(Uuid, 'Dataset that the row belongs to, unless it names an experiment.'),
    project_id: optional(Uuid, 'Project in whose logs the row is, when it names neither.'),
    log_id: optional(Text, '`g`, of rows of logs.'),
    ...eventInserts.experiment.properties,
    comment: Type.Optional(
      Type.Union(
        [Type.String(), Type.Object({ text: described(Text, 'The text.') }), Type.Null()],
        {
          description:
            'Makes the row a comment on the event whose id is `origin.id`, kept beside that event.',
        },
      ),
    ),
    _audit_source: optional(
      Text,
      'Where the change comes from: makes an audit entry of the scores, the expected value and the tags.',
    ),
    _audit_metadata: optional(AnyObject, 'Kept with the audit entry.'),
    _array_delete: optional(
      Type.Array(ArrayDeletion),
      'What is removed from arrays of the event, after a merge.',
    ),
  },
  { title: 'LogRow' },
);

export const LogRows = Type.Object(
  {
    rows: Type.Array(LogRow, {
      ...atMost(limits.events),
      description:
        'The rows, applied in this order. Tags of merges are added to those of the event.',
    }),
  },
  { title: 'LogRows' },
);

const RefusedRow = Type.Object(
  {
    index: Type.Integer({ minimum: 0, description: 'Place of the row in the request.' }),
    id: described(nullable(Text), 'Its id, when it has one.'),
    message: described(Text, 'What is wrong with it.'),
  },
  { ...closed, title: 'RefusedRow' },
);

export const LoggedRows = Type.Object(
  {
    ids: Type.Array(Text, { description: 'Ids of the rows that were stored, in their order.' }),
    xact_id: described(Text, 'Transaction that stored them.'),
    errors: Type.Optional(
      Type.Array(RefusedRow, {
        description: 'The rows that were not stored; absent when all were.',
      }),
    ),
  },
  { ...closed, title: 'LoggedRows' },
);
