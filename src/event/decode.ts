// Decodes the body of an insert request to events, or refuses it with the first error.
import { badRequest, RequestError } from '../errors.js';
import type { JsonValue } from '../json/json.js';
import { type List, startOfList } from '../json/list-slices.js';
import { objectInOrder } from '../json/ordered.js';
import { parseJsonDocument } from '../json/parse.js';
import { scannedSlices } from '../json/scanned-list.js';
import { stringifyJson } from '../json/stringify.js';
import { isJsonObject, isLossless, isPlain, membersOf } from '../json/tree.js';
import { type JsonColumn, jsonColumns } from '../schema/event-columns.js';
import type { EventObjectKind } from '../schema/event-row.js';
import { eventTextBytesMax, limits, tooMany } from '../schema/limits.js';
import { type EventFields, readFields } from './fields.js';
import { placedPath, type IncomingEvent } from './incoming.js';
import { incomingEvent } from './incoming-fields.js';
import { eventScanner } from './scan-event.js';
import { elementLimitsOf, wholeBody, type BodyPart, type TextLimits } from './body-text.js';
import { readOtherBody, refuseTail } from './insert-body.js';

/**
 * Decodes `body`, or the part of it that is the UTF-8 text `{"events": [...]}`. One invalid event refuses all. Each step reads
 * some hundred events or a single long one, and yields those that are valid; the caller may pause between steps.
 * @throws RequestError 400
 * @throws TooLongToParse
 */
export function* decodeInSteps(
  kind: EventObjectKind,
  body: Buffer,
  textLimits: TextLimits = { textBytesMax: eventTextBytesMax },
  part: BodyPart = wholeBody,
): Generator<readonly IncomingEvent[], void> {
  const path = part.list;
  const start = startOfList(body, 'events', part.start);
  if (start === null) {
    const others = readOtherBody(body, textLimits, part);
    yield readEvents(kind, others, { plain: false, path });
    return;
  }
  let refusal: RequestError | null = null;
  const list: List = {
    name: path,
    start,
    elementsMax: limits.events.max,
    elementLimits: elementLimitsOf(textLimits),
  };
  const slices = scannedSlices(body, list, 'request body', eventScanner(kind));
  let next = slices.next();
  while (next.done !== true) {
    const slice = next.value;
    if ('scanned' in slice) yield slice.scanned;
    else {
      const { first, elements, plain } = slice;
      const read: readonly IncomingEvent[] | RequestError =
        refusal ?? eventsOrRefusal(kind, elements, { plain, path, first });
      // Invalid JSON takes precedence over an invalid event, so the rest is parsed first.
      if (read instanceof RequestError) refusal = read;
      yield read instanceof RequestError ? [] : read;
    }
    next = slices.next();
  }
  const { count, end } = next.value;
  refuseTail(body, end, textLimits, part);
  if (count > limits.events.max) throw badRequest(`${path}: ${tooMany(limits.events.max, count)}`);
  if (refusal !== null) throw refusal;
}

/** Returns the error of an invalid event. */
function eventsOrRefusal(
  kind: EventObjectKind,
  events: readonly JsonValue[],
  list: EventList,
): readonly IncomingEvent[] | RequestError {
  try {
    return readEvents(kind, events, list);
  } catch (error) {
    if (error instanceof RequestError) return error;
    throw error;
  }
}

/** A list of events. `plain` means that no value needs the exact form; `path` names the list in errors. */
interface EventList {
  readonly plain: boolean;
  readonly path: string;
  /** The index of the first event in that list; by default 0. */
  readonly first?: number;
}

/** Decodes a parsed list of events. One invalid event refuses all. */
export const readEvents = (
  kind: EventObjectKind,
  events: readonly JsonValue[],
  list: EventList,
): readonly IncomingEvent[] =>
  events.map((event, index) =>
    readEvent(kind, event, list.plain, `${list.path}[${(list.first ?? 0) + index}]`),
  );

function readEvent(
  kind: EventObjectKind,
  event: JsonValue,
  isPlainText: boolean,
  path: string,
): IncomingEvent {
  const plain = isPlainText || isPlain(event);
  const fields = readFields(kind, event, plain, path);
  const columns = { json: jsonTexts(fields, plain), lossless: isLosslessEvent(fields, plain) };
  return incomingEvent(kind, fields, columns, path);
}

/** Decodes the parsed event of a body that is no list. `place` is its place there. */
export const readPlacedEvent = (
  kind: EventObjectKind,
  event: JsonValue,
  plain: boolean,
  place: string,
): IncomingEvent => Object.assign(readEvent(kind, event, plain, placedPath(place)), { place });

/** Decodes the text of a stored record of a dataset, so that it can be inserted again. */
export function readRecord(text: string): IncomingEvent {
  const { value, plain } = parseJsonDocument(text);
  return readEvents('dataset', [value], { plain, path: 'record' })[0]!;
}

const isLosslessEvent = (fields: EventFields, plain: boolean): boolean =>
  !plain && jsonColumns.some((column) => isLossless(fields[column] ?? null));

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

/** Booleans become the scores 0 and 1. */
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
