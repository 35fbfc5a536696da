// Decodes the body of an insert into several objects, `{"<kind>": {"<id>": {"events": [...]}}}`.
import { abbreviated, badRequest, type RequestError } from '../errors.js';
import { endOfDocument, endsAt, isAt, keysAt, rangeOfValue, type Cursor } from '../json/walk.js';
import { eventInserts } from '../schema/event.js';
import type { EventObjectKind } from '../schema/event-row.js';
import { jsonLimits, limits } from '../schema/limits.js';
import { where, type BodyPart, type TextLimits } from './body-text.js';
import { decodeInSteps } from './decode.js';
import { jsonForError } from './field-error.js';
import type { IncomingEvent } from './incoming.js';

/** The part of the body with the events of an object. */
export interface ObjectPart extends BodyPart {
  readonly kind: EventObjectKind;
  /** The id in the client's spelling. */
  readonly id: string;
  /** The index after its last byte. */
  readonly end: number;
}

/**
 * Finds the parts in one walk, without reading their events.
 * @throws RequestError 400 for what is around the parts, or too many of them
 */
export function objectParts(body: Buffer): readonly ObjectPart[] {
  const cursor: Cursor = { bytes: body, at: 0, where };
  if (endsAt(cursor)) throw badRequest(`${where}: expected an object, got nothing`);
  if (!isAt(cursor, '{')) throw unlike(where, 'an object', valueAt(cursor, where).text);
  const kinds = new Map<EventObjectKind, readonly ObjectPart[]>();
  for (const kind of keysAt(cursor)) {
    if (!isKind(kind)) throw badRequest(`unknown field ${jsonForError(kind)} in the ${where}`);
    if (kinds.has(kind)) throw repeated(where, kind);
    kinds.set(kind, partsOfKind(cursor, kind));
  }
  endOfDocument(cursor);
  return [...kinds.values()].flat();
}

function partsOfKind(cursor: Cursor, kind: EventObjectKind): readonly ObjectPart[] {
  if (!isAt(cursor, '{')) {
    const { text } = valueAt(cursor, kind);
    if (text === 'null') return [];
    throw unlike(kind, 'an object or null', text);
  }
  const { max } = limits.objects;
  const parts = new Map<string, ObjectPart>();
  for (const id of keysAt(cursor)) {
    if (parts.has(id)) throw repeated(kind, id);
    if (parts.size === max) throw badRequest(`${kind}: expected at most ${max} elements, got more`);
    const name = `${kind}.${abbreviated(id)}`;
    parts.set(id, { kind, id, ...valueAt(cursor, name), name, list: `${name}.events` });
  }
  return [...parts.values()];
}

const isKind = (name: string): name is EventObjectKind => Object.hasOwn(eventInserts, name);

const repeated = (name: string, field: string): RequestError =>
  badRequest(`${name}: the field ${jsonForError(field)} occurs more than once`);

const unlike = (name: string, what: string, text: string): RequestError =>
  badRequest(`${name}: expected ${what}, got ${text.startsWith('[') ? 'an array' : text}`);

/** Moves the cursor after the value. Its text is abbreviated. */
function valueAt(cursor: Cursor, name: string) {
  const values = { max: Infinity };
  const { start, end } = rangeOfValue(cursor, { ...jsonLimits, values, name: () => name });
  const text = abbreviated(cursor.bytes.toString('utf8', start, Math.min(end, start + 400)).trim());
  return { start, end, text };
}

/** An event, and the index of the part of the body that has it. */
export interface PartEvent {
  readonly part: number;
  readonly event: IncomingEvent;
}

export const eventsOfPart = ({ event }: PartEvent): readonly IncomingEvent[] => [event];

/**
 * Decodes the events of all parts. Each step yields some of them, and the caller may pause between steps.
 * @throws RequestError 400
 * @throws TooLongToParse
 */
export function* decodePartsInSteps(
  body: Buffer,
  parts: readonly ObjectPart[],
  textLimits: TextLimits,
): Generator<readonly PartEvent[], void> {
  const { max } = limits.events;
  let count = 0;
  for (const [index, part] of parts.entries()) {
    for (const events of decodeInSteps(part.kind, body.subarray(0, part.end), textLimits, part)) {
      count += events.length;
      yield events.map((event) => ({ part: index, event }));
    }
    if (count > max) throw badRequest(`${where}: expected at most ${max} events, got more`);
    yield [];
  }
}
