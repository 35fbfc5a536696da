// Reads the rows of an SDK body `{"rows": [...], …}`, a slice at a time. Other members are ignored.
import { badRequest } from '../errors.js';
import type { JsonValue } from '../json/json.js';
import { findList, type List, type ListSlice } from '../json/list-slices.js';
import { parseJson } from '../json/parse.js';
import { scannedSlices, type Scan, type ScannedSlice } from '../json/scanned-list.js';
import { isJsonObject, memberOf } from '../json/tree.js';
import { eventTextBytesMax, jsonBodyBytesMax, limits, tooMany } from '../schema/limits.js';
import { elementLimitsOf, parseBody, refuseLong, where, type TextLimits } from './body-text.js';
import { expected } from './field-error.js';

/**
 * The caller may pause after each slice. It must not store rows before the last slice, which detects invalid JSON.
 * @throws RequestError 400 for a body that is not JSON, or has no rows or too many
 * @throws TooLongToParse
 */
export function* rowSlices<T>(
  body: Buffer,
  scan: Scan<T>,
  textLimits: TextLimits = { textBytesMax: eventTextBytesMax },
): Generator<ScannedSlice<T> | ListSlice, void> {
  const elementLimits = elementLimitsOf(textLimits);
  const start = findList(body, 'rows', elementLimits);
  if (start === null) {
    yield* slicesOf(readOtherRows(body, textLimits));
    return;
  }
  const list: List = {
    name: 'rows',
    start,
    elementsMax: limits.events.max,
    elementLimits,
  };
  refuseHead(body.subarray(0, start), textLimits);
  const { count, end } = yield* scannedSlices(body, list, where, scan);
  refuseTail(body, end, textLimits);
  if (count > limits.events.max) throw badRequest(`rows: ${tooMany(limits.events.max, count)}`);
}

const sliceRows = 1000;

function* slicesOf(rows: readonly JsonValue[]): Generator<ListSlice, void> {
  for (let first = 0; first < rows.length; first += sliceRows)
    yield { first, elements: rows.slice(first, first + sliceRows), plain: false };
}

const tooMuchElse = () =>
  badRequest(`${where}: expected the field rows near the start, and at most 16 MB of other fields`);

/** Nothing but the name of the list is before it in a body that begins with it. */
const usualHead = '{"rows":[';

function refuseHead(head: Buffer, textLimits: TextLimits): void {
  if (head.length === usualHead.length && head.toString('latin1') === usualHead) return;
  if (head.length > jsonBodyBytesMax) throw tooMuchElse();
  refuseLong(head.length, textLimits);
  parseJson(`${head.toString()}]}`, where);
}

/** The last short tail that was valid: a client sends the same one with each request. */
let validTail = '}';
const keptTailBytes = 100;

/** @param end the index of the byte after the closing bracket of the list */
function refuseTail(body: Buffer, end: number, textLimits: TextLimits): void {
  if (body.length - end > keptTailBytes) {
    checkTail(body, end, textLimits);
    return;
  }
  const tail = body.toString('latin1', end);
  if (tail === validTail) return;
  checkTail(body, end, textLimits);
  validTail = tail;
}

function checkTail(body: Buffer, end: number, textLimits: TextLimits): void {
  const value = parseBody(body, textLimits, tooMuchElse, end, '{"":[]');
  if (!isJsonObject(value) || memberOf(value, 'rows') !== undefined)
    throw badRequest(`${where}: the field rows occurs more than once`);
}

/** Reads a body whose list of rows cannot be found without parsing the rest. */
function readOtherRows(body: Buffer, textLimits: TextLimits): readonly JsonValue[] {
  const value = parseBody(body, textLimits, tooMuchElse);
  if (!isJsonObject(value)) throw expected(where, 'an object', value);
  const rows = memberOf(value, 'rows');
  if (rows === undefined) throw badRequest(`${where}: the field rows is missing`);
  if (!Array.isArray(rows)) throw expected('rows', 'an array', rows);
  if (rows.length > limits.events.max)
    throw badRequest(`rows: ${tooMany(limits.events.max, rows.length)}`);
  return rows as readonly JsonValue[];
}
