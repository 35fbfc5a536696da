// One row of the SDKs -> the object that it is about, its event, and what it says about an event. Names that are not
// known are ignored; a value that cannot be stored refuses the row.
import { createHash } from 'node:crypto';
import { badRequest } from '../errors.js';
import type { JsonObject, JsonValue } from '../json/json.js';
import { stringifyJson } from '../json/stringify.js';
import { isJsonObject, memberOf } from '../json/tree.js';
import type { EventObjectKind } from '../schema/event-row.js';
import type { ArrayDelete } from './array-delete.js';
import { readEvents } from './decode.js';
import { expected } from './field-error.js';
import { entriesUnder, type FeedbackItem } from './feedback.js';
import { knownFields } from './fields.js';
import type { IncomingEvent } from './incoming.js';

export interface LoggedRow {
  readonly kind: EventObjectKind;
  /** In lower case. */
  readonly objectId: string;
  /** The id that the row is stored under. */
  readonly id: string;
  /** Null for a comment, which is no event. */
  readonly event: IncomingEvent | null;
  /** Comments and audit entries, to be stored under the object that keeps the feedback. */
  readonly entries: readonly IncomingEvent[];
}

interface RowPlace {
  readonly index: number;
  /** No part of the row needs the exact form. */
  readonly plain: boolean;
}

/** @throws RequestError 400 that names the place of what cannot be stored */
export function readLoggedRow(
  value: JsonValue,
  { index, plain }: RowPlace,
  userId: string,
): LoggedRow {
  const place = `rows[${index}]`;
  if (!isJsonObject(value)) throw expected(place, 'an object', value);
  const object = objectOf(value, place);
  const comment = memberOf(value, 'comment') ?? null;
  if (comment !== null) return { ...object, ...commentOf(value, comment, object, userId, place) };
  const event = eventOf(value, object.kind, { index, plain });
  const entries = auditOf(value, event.id, object, userId, place);
  return { ...object, id: event.id, event, entries };
}

type NamedObject = Pick<LoggedRow, 'kind' | 'objectId'>;

const objectFields = [
  ['experiment_id', 'experiment'],
  ['dataset_id', 'dataset'],
  ['prompt_session_id', null],
  ['project_id', 'project_logs'],
] as const;

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** The first of the objects that the row names: rows of datasets name their project, too. */
export function objectOf(row: JsonObject, place: string): NamedObject {
  for (const [field, kind] of objectFields) {
    const id = memberOf(row, field) ?? null;
    if (id === null) continue;
    if (kind === null) throw badRequest(`${place}: rows of playgrounds are not stored`);
    if (typeof id !== 'string' || !uuid.test(id)) throw expected(`${place}.${field}`, 'a UUID', id);
    const log = memberOf(row, 'log_id') ?? null;
    if (kind === 'project_logs' && log !== null && log !== 'g')
      throw expected(`${place}.log_id`, '"g"', log);
    return { kind, objectId: id.toLowerCase() };
  }
  throw badRequest(`${place}: expected one of experiment_id, dataset_id, project_id`);
}

function eventOf(row: JsonObject, kind: EventObjectKind, { index, plain }: RowPlace) {
  const list = { plain, place: 'rows', first: index };
  const [event] = readEvents(kind, [knownFields(kind, row)], list);
  return loggedEvent(event!, row, `rows[${index}]`);
}

/** The event of the row, with what the row says beside its fields. */
export function loggedEvent(event: IncomingEvent, row: JsonObject, place: string): IncomingEvent {
  const arrayDeletes = arrayDeletesOf(row, place);
  const { isMerge, mergePaths, ...read } = event;
  const replacesTags = mergePaths.some((path) => path.length === 1 && path[0] === 'tags');
  return {
    ...read,
    isMerge,
    mergePaths: isFeedback(row) ? [...mergePaths, ['expected']] : mergePaths,
    unitesTags: isMerge && !replacesTags,
    arrayDeletes,
  };
}

const isFeedback = (row: JsonObject): boolean => (memberOf(row, '_audit_source') ?? null) !== null;

function arrayDeletesOf(row: JsonObject, place: string): readonly ArrayDelete[] {
  const field = `${place}._array_delete`;
  const sent = memberOf(row, '_array_delete') ?? null;
  if (sent === null) return [];
  if (!Array.isArray(sent)) throw expected(field, 'an array or null', sent);
  return (sent as readonly JsonValue[]).map((item, index) => {
    const path = isJsonObject(item) ? memberOf(item, 'path') : undefined;
    const values = isJsonObject(item) ? memberOf(item, 'delete') : undefined;
    if (!isStrings(path) || !Array.isArray(values))
      throw expected(`${field}[${index}]`, 'an object with the arrays path and delete', item);
    return { path, delete: values as readonly JsonValue[] };
  });
}

const isStrings = (value: JsonValue | undefined): value is readonly string[] =>
  Array.isArray(value) && (value as readonly JsonValue[]).every((part) => typeof part === 'string');

const changedFields = ['scores', 'expected', 'tags'];

/** What the row says about who changed its event, if it says so. */
function auditOf(
  row: JsonObject,
  eventId: string,
  { kind, objectId }: NamedObject,
  userId: string,
  place: string,
): readonly IncomingEvent[] {
  if (!isFeedback(row)) return [];
  const sent = knownFields(kind, row);
  const changes = Object.fromEntries(
    changedFields
      .map((name) => [name, memberOf(sent, name) ?? null] as const)
      .filter(([, value]) => value !== null),
  );
  const item = { id: eventId, comment: null, changes, ...auditFields(row, place) };
  if (Object.keys(changes).length === 0) return [];
  const audit = uuidFrom('audit', objectId, eventId, stringifyJson(row));
  return entriesUnder({ comment: audit, audit }, item, userId);
}

function auditFields(row: JsonObject, place: string): Pick<FeedbackItem, 'source' | 'metadata'> {
  const source = memberOf(row, '_audit_source') ?? 'api';
  if (typeof source !== 'string')
    throw expected(`${place}._audit_source`, 'a string or null', source);
  const metadata = memberOf(row, '_audit_metadata') ?? null;
  if (metadata !== null && !isJsonObject(metadata))
    throw expected(`${place}._audit_metadata`, 'an object or null', metadata);
  return { source, metadata };
}

/** A comment on the event that `origin` names, under the id of the row: sent again it is the same one. */
function commentOf(
  row: JsonObject,
  comment: JsonValue,
  { objectId }: NamedObject,
  userId: string,
  place: string,
) {
  const origin = memberOf(row, 'origin') ?? null;
  const eventId = isJsonObject(origin) ? memberOf(origin, 'id') : undefined;
  if (typeof eventId !== 'string')
    throw expected(`${place}.origin`, 'an object with the id of an event', origin);
  const id = memberOf(row, 'id') ?? null;
  if (typeof id !== 'string') throw expected(`${place}.id`, 'a string', id);
  const text = isJsonObject(comment) ? memberOf(comment, 'text') : comment;
  if (typeof text !== 'string')
    throw expected(`${place}.comment`, 'a string or an object with the string text', comment);
  const ids = {
    comment: uuid.test(id) ? id.toLowerCase() : uuidFrom('comment', objectId, id),
    audit: uuidFrom('audit of comment', objectId, id),
  };
  const item = { id: eventId, comment: text, changes: {}, ...auditFields(row, place) };
  return { id, event: null, entries: entriesUnder(ids, item, userId) };
}

/** A UUID that is the same for the same parts. */
function uuidFrom(...parts: readonly string[]): string {
  const hex = createHash('sha256').update(JSON.stringify(parts)).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
