// What clients say about events and prompts after the fact, and how it is read back.
import { Type, type Static, type TObject } from 'typebox';
import { atMost, limits } from './limits.js';
import {
  AnyObject,
  Name,
  Strings,
  Text,
  Timestamp,
  Uuid,
  closed,
  described,
  nullable,
  optional,
  recordOf,
} from './scalar.js';

const recordFields = {
  id: described(Name, "Id of the event; of prompts the prompt's own."),
  comment: optional(Text, 'Comment, kept beside the event.'),
  tags: optional(Strings, 'Labels that replace those of the event.'),
  metadata: optional(AnyObject, 'Whatever you want to keep with the audit entry, by name.'),
  source: optional(Text, 'Where the feedback comes from; `api` when left out.'),
};

const Score = Type.Union([Type.Number(), Type.Boolean(), Type.Null()]);

const RecordFeedback = Type.Object(recordFields, { ...closed, title: 'Feedback' });

const SpanFeedback = Type.Object(
  {
    ...recordFields,
    scores: optional(recordOf(Score), 'Scores by name, merged into those of the event.'),
    expected: Type.Optional(
      Type.Unknown({
        description: 'What the answer should have been; replaces that of the event.',
      }),
    ),
  },
  { ...closed, title: 'SpanFeedback' },
);

/** One item of `feedback` in the body, by what it is about. */
const feedbackItems = {
  project_logs: SpanFeedback,
  experiment: SpanFeedback,
  dataset: RecordFeedback,
  prompt: RecordFeedback,
} as const satisfies Record<string, TObject>;

export type FeedbackKind = keyof typeof feedbackItems;

export const feedbackBody = (kind: FeedbackKind): TObject =>
  Type.Object(
    {
      feedback: Type.Array(feedbackItems[kind], {
        ...atMost(limits.feedback),
        description: 'The items, all or none applied.',
      }),
    },
    closed,
  );

export const FeedbackParameters = Type.Object(
  {
    event_id: Type.Optional(described(Text, 'Only what was said about this event.')),
    version: Type.Optional(
      described(Text, 'What had been said as of this transaction id, in either spelling.'),
    ),
  },
  closed,
);

export type FeedbackRequest = Readonly<Static<typeof FeedbackParameters>>;

const entryFields = {
  id: described(Uuid, 'Unique id of the entry.'),
  _xact_id: described(Text, 'Transaction that wrote it.'),
  created: described(Timestamp, 'When it was written.'),
  event_id: described(Text, 'Event, or prompt, that it is about.'),
  user_id: described(Uuid, 'User who gave the feedback.'),
  source: described(Text, 'Where the feedback came from.'),
};

export const CommentEntry = Type.Object(
  { ...entryFields, comment: described(Text, 'Text of the comment.') },
  { ...closed, title: 'Comment' },
);

export const AuditEntry = Type.Object(
  {
    ...entryFields,
    metadata: described(nullable(AnyObject), 'What was sent as `metadata`.'),
    changes: described(AnyObject, 'The scores, the expected value and the tags that were sent.'),
    comment_id: described(nullable(Uuid), 'Comment that was sent with it.'),
  },
  { ...closed, title: 'AuditEntry' },
);

export const FeedbackList = Type.Object(
  {
    comments: Type.Array(CommentEntry, { description: 'Comments, latest first.' }),
    audit: Type.Array(AuditEntry, { description: 'Audit entries, latest first.' }),
  },
  { ...closed, title: 'FeedbackList' },
);

/** Events beside their objects: what was said about them is stored as rows of an object of its own. */
const objectPrefix = 'feedback:';

export const feedbackObjectId = (objectId: string): string => objectPrefix + objectId;

/** Where the id of the object begins in that of its feedback, counted from 1. */
export const feedbackIdStart = objectPrefix.length + 1;

/** What a row of feedback is; the one of its tags. */
export const entryKinds = ['comment', 'audit'] as const;

export type EntryKind = (typeof entryKinds)[number];
