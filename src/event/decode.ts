// The body of an insert request -> its events in the store's terms, or a 400 that names the first fault.
import { randomUUID } from 'node:crypto';
import { badRequest } from '../errors.js';
import type { MergePath } from '../json/deep-merge.js';
import type { JsonValue } from '../json/json.js';
import { objectInOrder } from '../json/ordered.js';
import { parseJsonDocument } from '../json/parse.js';
import { stringifyJson } from '../json/stringify.js';
import { isJsonObject, isLossless, isPlain, membersOf } from '../json/tree.js';
import { oldEventNames } from '../schema/event.js';
import { type JsonColumn, jsonColumns } from '../schema/event-columns.js';
import type { EventObjectKind } from '../schema/event-row.js';
import { parseCreated } from './created.js';
import { expected } from './field-error.js';
import { type EventFields, readFields } from './fields.js';
import type { IncomingEvent } from './incoming.js';

/** `body` is the text of a request body `{"events": [...]}`. One invalid event refuses them all. */
export function decodeEvents(kind: EventObjectKind, body: string): readonly IncomingEvent[] {
  const { value, plain } = parseJsonDocument(body);
  return readEvents(kind, eventsOf(value), { plain, place: 'events' });
}

/** Where the list of events was found; `plain` says that no part of it needs the exact form. */
interface EventList {
  readonly plain: boolean;
  readonly place: string;
}

/** The events of a list that was parsed already. One invalid event refuses them all. */
export const readEvents = (
  kind: EventObjectKind,
  events: readonly JsonValue[],
  list: EventList,
): readonly IncomingEvent[] =>
  events.map((event, index) => {
    const place = `${list.place}[${index}]`;
    const plain = list.plain || isPlain(event);
    const fields = readFields(kind, event, plain, place);
    refuseConflicts(fields, place);
    return incoming(kind, fields, plain, place);
  });

function eventsOf(body: JsonValue): readonly JsonValue[] {
  if (!isJsonObject(body)) throw expected('request body', 'an object', body);
  let events: JsonValue | undefined;
  for (const [name, value] of membersOf(body)) {
    if (name !== 'events') throw badRequest(`request body: unknown field ${JSON.stringify(name)}`);
    events = value;
  }
  if (events === undefined) throw badRequest('request body: the field events is missing');
  if (!Array.isArray(events)) throw expected('events', 'an array', events);
  return events as readonly JsonValue[];
}

function refuseConflicts(fields: EventFields, place: string): void {
  if (typeof fields._parent_id !== 'string') return;
  if (fields._is_merge === true) {
    throw badRequest(`${place}: _is_merge and _parent_id cannot be sent together`);
  }
  for (const field of ['span_id', 'root_span_id', 'span_parents'] as const) {
    if (isSent(fields[field])) {
      throw badRequest(`${place}: ${field} and _parent_id cannot be sent together`);
    }
  }
}

const isSent = (value: JsonValue | undefined): boolean =>
  value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);

/** The schemas have checked the types that are asserted here. */
function incoming(
  kind: EventObjectKind,
  fields: EventFields,
  plain: boolean,
  place: string,
): IncomingEvent {
  const id = fields.id as string | null | undefined;
  const spanParents = fields.span_parents as readonly string[] | null | undefined;
  return {
    id: id ?? randomUUID(),
    idGenerated: typeof id !== 'string',
    isMerge: fields._is_merge === true,
    mergePaths: mergePathsOf(kind, fields),
    isDelete: fields._object_delete === true,
    parentId: (fields._parent_id as string | null | undefined) ?? null,
    created: createdOf(fields, place),
    spanId: (fields.span_id as string | null | undefined) ?? null,
    rootSpanId: (fields.root_span_id as string | null | undefined) ?? null,
    spanParents: spanParents?.length === 0 ? null : spanParents,
    tags: fields.tags as readonly string[] | null | undefined,
    datasetRecordId: fields.dataset_record_id as string | null | undefined,
    json: jsonTexts(fields, plain),
    lossless: !plain && jsonColumns.some((column) => isLossless(fields[column] ?? null)),
  };
}

function mergePathsOf(kind: EventObjectKind, fields: EventFields): readonly MergePath[] {
  const paths = (fields._merge_paths ?? []) as readonly MergePath[];
  const former = oldEventNames[kind];
  const present = (name: string): string =>
    (Object.hasOwn(former, name) ? former[name] : undefined) ?? name;
  return paths.map((path) => path.map((name, depth) => (depth === 0 ? present(name) : name)));
}

function createdOf({ created }: EventFields, place: string): bigint | null {
  if (typeof created !== 'string') return null;
  const micros = parseCreated(created);
  if (micros === null) throw expected(`${place}.created`, 'an ISO 8601 date-time or null', created);
  return micros;
}

function jsonTexts(fields: EventFields, plain: boolean): IncomingEvent['json'] {
  const print = plain ? JSON.stringify : stringifyJson;
  const texts: Partial<Record<JsonColumn, string | null>> = {};
  for (const column of jsonColumns) {
    const value = fields[column];
    if (value === undefined) continue;
    if (value === null) texts[column] = null;
    else texts[column] = print(column === 'scores' ? numericScores(value) : value);
  }
  return texts;
}

/** Booleans are the scores 0 and 1. */
function numericScores(scores: JsonValue): JsonValue {
  if (!isJsonObject(scores)) return scores;
  const members = [...membersOf(scores)];
  if (!members.some(([, score]) => typeof score === 'boolean')) return scores;
  return objectInOrder(
    new Map(
      members.map(([name, score]) => [name, typeof score === 'boolean' ? Number(score) : score]),
    ),
  );
}
