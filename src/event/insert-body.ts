// The parts of an insert body around its list of events, and bodies that do not begin with the list.
import { badRequest, type RequestError } from '../errors.js';
import type { JsonValue } from '../json/json.js';
import { skipSpace } from '../json/list-slices.js';
import { isJsonObject, membersOf } from '../json/tree.js';
import { parseBody, wholeBody, type BodyPart, type TextLimits } from './body-text.js';
import { expected, jsonForError } from './field-error.js';

const unlikeInsert = (name: string): RequestError =>
  badRequest(`${name}: expected an object with the field events and no other field`);

/** Reads a body that does not begin with `{"events":[`; most of them are invalid. */
export function readOtherBody(
  body: Buffer,
  limits: TextLimits,
  part: BodyPart = wholeBody,
): readonly JsonValue[] {
  return eventsOf(
    parseBody(body, limits, () => unlikeInsert(part.name), part.start),
    part,
  );
}

/** Checks that only the closing brace of the body follows the list, whose closing bracket precedes the byte `start`. */
export function refuseTail(body: Buffer, start: number, limits: TextLimits, part: BodyPart): void {
  const brace = skipSpace(body, start);
  if (body[brace] === closingBrace && skipSpace(body, brace + 1) === body.length) return;
  eventsOf(
    parseBody(body, limits, () => unlikeInsert(part.name), start, '{"events":[]'),
    part,
  );
  throw badRequest(`${part.name}: the field events occurs more than once`);
}

const closingBrace = 0x7d;

function eventsOf(body: JsonValue, { name: where, list }: BodyPart): readonly JsonValue[] {
  if (!isJsonObject(body)) throw expected(where, 'an object', body);
  let events: JsonValue | undefined;
  for (const [name, value] of membersOf(body)) {
    if (name !== 'events') throw badRequest(`${where}: unknown field ${jsonForError(name)}`);
    events = value;
  }
  if (events === undefined) throw badRequest(`${where}: the field events is missing`);
  if (!Array.isArray(events)) throw expected(list, 'an array', events);
  return events as readonly JsonValue[];
}
