// The versions of a dataset, as they are listed.
import { Type, type Static } from 'typebox';
import {
  Limit,
  Text,
  Timestamp,
  XactIdText,
  component,
  described,
  exactly,
  omittable,
} from './scalar.js';
import { xactIdSpellings } from './xact-id.js';

const Count = Type.Integer({ minimum: 0 });

export const DatasetVersion = component('DatasetVersion', {
  xact_id: described(
    Text,
    'Transaction id: the parameter `version` of a fetch, a query or a restore.',
  ),
  created: described(Timestamp, 'The second in which it was written.'),
  rows_written: described(Count, 'Records that it added or changed.'),
  rows_deleted: described(Count, 'Records that it deleted.'),
});

export const DatasetVersionParameters = exactly({
  limit: omittable(Limit, 'Maximum number of versions; by default all.'),
  starting_after: omittable(
    XactIdText,
    `\`xact_id\` of the last version of the previous page, ${xactIdSpellings}. Returns the page after it. Not allowed together with \`ending_before\`.`,
  ),
  ending_before: omittable(
    XactIdText,
    `\`xact_id\` of the first version of the next page, ${xactIdSpellings}. Returns the page before it. Not allowed together with \`starting_after\`.`,
  ),
});

export type DatasetVersionsRequest = Readonly<Static<typeof DatasetVersionParameters>>;
