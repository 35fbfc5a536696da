// What clients say about events and prompts after the fact, and how it is read back.
import { Type, type Static, type TObject } from 'typebox';
import {
  AnyObject,
  Name,
  Strings,
  Text,
  Timestamp,
  Uuid,
  closed,
  nullable,
  optional,
} from './scalar.js';

const recordFields = {
  /** Of the event; of prompts the prompt's own. */
  id: Name,
  comment: optional(Text),
  tags: optional(Strings),
  metadata: optional(AnyObject),
  source: optional(Text),
};

const Score = Type.Union([Type.Number(), Type.Boolean(), Type.Null()]);

const RecordFeedback = Type.Object(recordFields, closed);

const SpanFeedback = Type.Object(
  {
    ...recordFields,
    scores: optional(Type.Record(Type.String(), Score)),
    expected: Type.Optional(Type.Unknown()),
  },
  closed,
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
  Type.Object({ feedback: Type.Array(feedbackItems[kind]) }, closed);

export const FeedbackParameters = Type.Object(
  { event_id: Type.Optional(Text), version: Type.Optional(Text) },
  closed,
);

export type FeedbackRequest = Readonly<Static<typeof FeedbackParameters>>;

const entryFields = {
  id: Uuid,
  _xact_id: Text,
  created: Timestamp,
  event_id: Text,
  user_id: Uuid,
  source: Text,
};

export const CommentEntry = Type.Object({ ...entryFields, comment: Text });

export const AuditEntry = Type.Object({
  ...entryFields,
  metadata: nullable(AnyObject),
  /** The scores, the expected value and the tags that were sent. */
  changes: AnyObject,
  comment_id: nullable(Uuid),
});

export const FeedbackList = Type.Object({
  comments: Type.Array(CommentEntry),
  audit: Type.Array(AuditEntry),
});

/** Events beside their objects: what was said about them is stored as rows of an object of its own. */
const objectPrefix = 'feedback:';

export const feedbackObjectId = (objectId: string): string => objectPrefix + objectId;

/** Where the id of the object begins in that of its feedback, counted from 1. */
export const feedbackIdStart = objectPrefix.length + 1;

/** What a row of feedback is; the one of its tags. */
export const entryKinds = ['comment', 'audit'] as const;

export type EntryKind = (typeof entryKinds)[number];
