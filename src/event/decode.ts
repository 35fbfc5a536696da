// The body of an insert request -> its events in the store's terms, or a 400 that names the first fault.
import { randomUUID } from 'node:crypto';
import { badRequest, RequestError } from '../errors.js';
import type { MergePath } from '../json/deep-merge.js';
import type { JsonValue } from '../json/json.js';
import { type List, readListSlices, startOfList } from '../json/list-slices.js';
import { objectInOrder } from '../json/ordered.js';
import { stringifyJson } from '../json/stringify.js';
import { isJsonObject, isLossless, isPlain, membersOf } from '../json/tree.js';
import { oldEventNames } from '../schema/event.js';
import { type JsonColumn, jsonColumns } from '../schema/event-columns.js';
import type { EventObjectKind } from '../schema/event-row.js';
import { limits, tooMany } from '../schema/limits.js';
import { parseCreated } from './created.js';
import { expected } from './field-error.js';
import { type EventFields, readFields } from './fields.js';
import type { IncomingEvent } from './incoming.js';
import { readOtherBody, refuseTail } from './insert-body.js';

/**
 * `body` is the UTF-8 text of a request body `{"events": [...]}`. One invalid event refuses them all. The caller may pause
 * after each step, which reads some hundred events or one that is longer, and yields their number.
 */
export function* decodeInSteps(
  kind: EventObjectKind,
  body: Buffer,
): Generator<number, readonly IncomingEvent[]> {
  const start = startOfList(body, 'events');
  if (start === null)
    return readEvents(kind, readOtherBody(body), { plain: false, place: 'events' });
  const decoded: IncomingEvent[] = [];
  let refusal: RequestError | null = null;
  const list: List = {
    name: 'events',
    start,
    elementsMax: limits.events.max,
    elementLimits: limits,
  };
  const slices = readListSlices(body, list, 'request body');
  let next = slices.next();
  while (next.done !== true) {
    const { first, elements, plain } = next.value;
    // A body that is not JSON is refused for that, so the rest is parsed before an event is refused.
    refusal ??= appendEvents(decoded, kind, elements, { plain, place: 'events', first });
    yield elements.length;
    next = slices.next();
  }
  const { count, end } = next.value;
  refuseTail(body, end);
  if (count > limits.events.max) throw badRequest(`events: ${tooMany(limits.events.max, count)}`);
  if (refusal !== null) throw refusal;
  return decoded;
}

/** @returns why they are refused, or null */
function appendEvents(
  decoded: IncomingEvent[],
  kind: EventObjectKind,
  events: readonly JsonValue[],
  list: EventList,
): RequestError | null {
  try {
    for (const event of readEvents(kind, events, list)) decoded.push(event);
    return null;
  } catch (error) {
    if (error instanceof RequestError) return error;
    throw error;
  }
}

/** Where the list of events was found; `plain` says that no part of it needs the exact form. */
interface EventList {
  readonly plain: boolean;
  readonly place: string;
  /** Index of the first of the events in that list; 0 when left out. */
  readonly first?: number;
}

/** The events of a list that was parsed already. One invalid event refuses them all. */
export const readEvents = (
  kind: EventObjectKind,
  events: readonly JsonValue[],
  list: EventList,
): readonly IncomingEvent[] =>
  events.map((event, index) => {
    const place = `${list.place}[${(list.first ?? 0) + index}]`;
    const plain = list.plain || isPlain(event);
    const fields = readFields(kind, event, plain, place);
    refuseConflicts(fields, place);
    return incoming(kind, fields, plain, place);
  });

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
