// The body and answer of POST /logs3. Unknown fields of rows are ignored.
import { Type } from 'typebox';
import { eventInserts } from './event.js';
import { atMost, limits } from './limits.js';
import { AnyObject, Text, Uuid, component, described, nullable, optional } from './scalar.js';
import { alone, never, none } from './together.js';

const LogRow = Type.Object(
  {
    experiment_id: optional(Uuid, 'Experiment of the row.'),
    dataset_id: optional(Uuid, 'Dataset of the row, unless it names an experiment.'),
    project_id: optional(Uuid, 'Project of the row, if it names neither.'),
    log_id: optional(Type.String({ documented: { enum: ['g'] } }), '`g` for rows of logs.'),
    ...eventInserts.experiment.properties,
    comment: Type.Optional(
      Type.Union(
        [Type.String(), Type.Object({ text: described(Text, 'The text.') }), Type.Null()],
        {
          description: 'Makes the row a comment on the event `origin.id`.',
        },
      ),
    ),
    _audit_source: optional(
      Text,
      'Source of the change; creates an audit entry with the scores, the expected value and the tags.',
    ),
    _audit_metadata: optional(AnyObject, 'Metadata of the audit entry.'),
  },
  {
    title: 'LogRow',
    documented: never(
      none('experiment_id', 'dataset_id', 'project_id'),
      alone('comment', 'origin'),
    ),
  },
);

export const LogRows = Type.Object(
  {
    rows: Type.Array(LogRow, {
      ...atMost(limits.events),
      description: 'Rows, applied in this order. A merge adds its tags to those of the event.',
    }),
  },
  { title: 'LogRows' },
);

const RefusedRow = component('RefusedRow', {
  index: Type.Integer({ minimum: 0, description: 'Index of the row in the request.' }),
  id: described(nullable(Text), 'Id of the row, if it has one.'),
  message: described(Text, 'Reason of the refusal.'),
});

export const LoggedRows = component('LoggedRows', {
  ids: Type.Array(Text, { description: 'Ids of the stored rows, in the order of the request.' }),
  xact_id: described(Text, 'Transaction that stored the rows.'),
  errors: Type.Optional(
    Type.Array(RefusedRow, {
      description: 'Refused rows; absent if there are none.',
    }),
  ),
});
