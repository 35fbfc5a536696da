// Turns feedback items into merges of their events, comments and audit entries.
import { randomUUID } from 'node:crypto';
import { badRequest } from '../errors.js';
import type { JsonObject, JsonValue } from '../json/json.js';
import { memberOf } from '../json/tree.js';
import type { EntryKind, FeedbackKind } from '../schema/feedback.js';
import type { EventObjectKind } from '../schema/event-row.js';
import { readEvents } from './decode.js';
import type { IncomingEvent } from './incoming.js';

/** The fields that an item can change. */
const changedFields: Readonly<Record<FeedbackKind, readonly string[]>> = {
  project_logs: ['scores', 'expected', 'tags'],
  experiment: ['scores', 'expected', 'tags'],
  dataset: ['tags'],
  prompt: ['tags'],
};

const defaultSource = 'api';

/** Null means not sent. */
export interface FeedbackItem {
  readonly id: string;
  readonly comment: JsonValue;
  readonly metadata: JsonValue;
  readonly source: JsonValue;
  /** The changed fields that were sent. */
  readonly changes: Readonly<Record<string, JsonValue>>;
}

function readItem(kind: FeedbackKind, item: JsonObject, path: string): FeedbackItem {
  const field = (name: string) => memberOf(item, name) ?? null;
  const changes = changedFields[kind].map((name) => [name, field(name)] as const);
  const read = {
    id: field('id') as string,
    comment: field('comment'),
    metadata: field('metadata'),
    source: field('source') ?? defaultSource,
    changes: Object.fromEntries(changes.filter(([, value]) => value !== null)),
  };
  if (read.comment === null && Object.keys(read.changes).length === 0)
    throw badRequest(
      `${path}: expected at least one of ${[...changedFields[kind], 'comment'].join(', ')}`,
    );
  return read;
}

/** Reads the items of a validated body. @throws RequestError 400 for an item without any change or comment */
export const readFeedback = (
  kind: FeedbackKind,
  items: readonly JsonObject[],
): readonly FeedbackItem[] =>
  items.map((item, index) => readItem(kind, item, `feedback[${index}]`));

/** The merges of the events: scores merge by name, other fields are replaced. */
export function feedbackMerges(
  kind: EventObjectKind,
  items: readonly FeedbackItem[],
): readonly IncomingEvent[] {
  const changing = items.filter(({ changes }) => Object.keys(changes).length > 0);
  const merges = readEvents(kind, changing.map(toMerge), { plain: false, path: 'feedback' });
  return merges.map((merge) => Object.assign({ mergesAllKeys: true }, merge));
}

const toMerge = ({ id, changes }: FeedbackItem): JsonObject => ({
  id,
  ...changes,
  _is_merge: true,
  _merge_paths: [['expected']],
});

/** The entries as rows of the feedback object, with a trace per event. */
export const feedbackEntries = (
  items: readonly FeedbackItem[],
  userId: string,
): readonly IncomingEvent[] => items.flatMap((item) => entriesOf(item, userId));

const entriesOf = (item: FeedbackItem, userId: string): readonly IncomingEvent[] =>
  entriesUnder({ comment: randomUUID(), audit: randomUUID() }, item, userId).map((made) =>
    Object.assign(made, { idGenerated: true }),
  );

/** The entries of an item, with UUIDs that the caller chooses. */
export function entriesUnder(
  ids: Readonly<Record<EntryKind, string>>,
  item: FeedbackItem,
  userId: string,
): readonly IncomingEvent[] {
  const { id: event_id, comment, metadata, source, changes } = item;
  const common = { event_id, user_id: userId, source };
  const comment_id = comment === null ? null : ids.comment;
  const audit = entry('audit', ids.audit, { ...common, metadata, changes, comment_id });
  return comment_id === null
    ? [audit]
    : [entry('comment', comment_id, { ...common, comment }), audit];
}

interface EntryContent extends Readonly<Record<string, JsonValue>> {
  readonly event_id: string;
}

function entry(kind: EntryKind, id: string, content: EntryContent): IncomingEvent {
  const row = { id, root_span_id: content.event_id, tags: [kind], origin: content };
  const [event] = readEvents('dataset', [row], { plain: false, path: kind });
  return event!;
}
