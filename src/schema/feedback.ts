// Schemas of feedback on events and prompts.
import { Type, type Static, type TObject } from 'typebox';
import type { EventObject } from './event-row.js';
import { atMost, limits } from './limits.js';
import {
  AnyObject,
  Name,
  Strings,
  Text,
  Timestamp,
  Uuid,
  component,
  described,
  exactly,
  nullable,
  omittable,
  optional,
  recordOf,
  XactIdText,
} from './scalar.js';
import { never, none } from './together.js';
import { xactIdSpellings } from './xact-id.js';

const recordFields = {
  id: described(Name, 'Id of the event, or of the prompt.'),
  comment: optional(Text, 'Comment; does not change the event.'),
  tags: optional(Strings, 'Labels that replace those of the event.'),
  metadata: optional(AnyObject, 'Custom data of the audit entry, by name.'),
  source: optional(Text, 'Source of the feedback; by default `api`.'),
};

const Score = Type.Union([Type.Number(), Type.Boolean(), Type.Null()]);

const RecordFeedback = component('Feedback', recordFields, {
  documented: never(none('tags', 'comment')),
});

const SpanFeedback = component(
  'SpanFeedback',
  {
    ...recordFields,
    scores: optional(recordOf(Score), 'Scores by name, merged into those of the event.'),
    expected: Type.Optional(
      Type.Unknown({
        description: 'Expected output; replaces that of the event.',
      }),
    ),
  },
  { documented: never(none('scores', 'expected', 'tags', 'comment')) },
);

/** An item of `feedback` in the body, by kind of object. */
const feedbackItems = {
  project_logs: SpanFeedback,
  experiment: SpanFeedback,
  dataset: RecordFeedback,
  prompt: RecordFeedback,
} as const satisfies Record<string, TObject>;

export type FeedbackKind = keyof typeof feedbackItems;

export const feedbackBody = (kind: FeedbackKind): TObject =>
  exactly({
    feedback: Type.Array(feedbackItems[kind], {
      ...atMost(limits.feedback),
      description: 'Feedback items, applied atomically.',
    }),
  });

export const FeedbackStored = component('FeedbackStored', {
  status: Type.Literal('success', { description: 'Always `success`.' }),
});

export const FeedbackParameters = exactly({
  event_id: omittable(Text, 'Only feedback on this event.'),
  version: omittable(
    XactIdText,
    `Returns the feedback as of this transaction id, ${xactIdSpellings}.`,
  ),
});

export type FeedbackRequest = Readonly<Static<typeof FeedbackParameters>>;

const entryFields = {
  id: described(Uuid, 'Unique id of the entry.'),
  _xact_id: described(Text, 'Transaction that wrote it.'),
  created: described(Timestamp, 'Time of the write.'),
  event_id: described(Text, 'Event or prompt of the feedback.'),
  user_id: described(Uuid, 'User who gave the feedback.'),
  source: described(Text, 'Source of the feedback.'),
};

const CommentEntry = component('Comment', {
  ...entryFields,
  comment: described(Text, 'Text of the comment.'),
});

const AuditEntry = component('AuditEntry', {
  ...entryFields,
  metadata: described(nullable(AnyObject), 'The `metadata` of the feedback.'),
  changes: described(AnyObject, 'Scores, expected value and tags of the feedback.'),
  comment_id: described(nullable(Uuid), 'Comment of the same feedback item.'),
});

export const FeedbackList = component('FeedbackList', {
  comments: Type.Array(CommentEntry, { description: 'Comments, oldest first.' }),
  audit: Type.Array(AuditEntry, { description: 'Audit entries, oldest first.' }),
});

/** The feedback object of an object, whose rows are the feedback on its events. */
export const feedbackPrefix = 'feedback:';

export const feedbackObjectId = (objectId: string): string => feedbackPrefix + objectId;

/** The object that stores the feedback on the events of an object. */
export const feedbackObject = (object: Omit<EventObject, 'kind'>): EventObject => ({
  ...object,
  kind: 'feedback',
  id: feedbackObjectId(object.id),
});

/** The position of the id of the object in that of its feedback object, from 1. */
export const feedbackIdStart = feedbackPrefix.length + 1;

/** The kind of a feedback row, which is its only tag. */
export type EntryKind = 'comment' | 'audit';
