// Parses the list in a document `{"<name>": [...]}` slice by slice. Only the values of one slice are in memory, and the reader
// can pause between slices. Errors are the same as for parsing the whole document.
import { badRequest, type RequestError } from '../errors.js';
import type { JsonValue } from './json.js';
import { parseJsonDocument } from './parse.js';
import { isSpace, TooLongToParse, scanElement, type ElementLimits } from './scan.js';

/** The size of a slice; only its last element may exceed it. */
export const sliceBytes = 2 ** 18;
export const sliceElements = 1000;

export interface ListSlice {
  /** The index of its first element in the list. */
  readonly first: number;
  readonly elements: readonly JsonValue[];
  /** Whether the elements contain no `Map` and no `LosslessNumber`. */
  readonly plain: boolean;
}

export interface List {
  readonly name: string;
  /** The index of the byte after the opening bracket. */
  readonly start: number;
  /** The maximum number of parsed elements. Further ones are counted, in empty slices. */
  readonly elementsMax: number;
  readonly elementLimits: Omit<ElementLimits, 'name'>;
}

export interface ListEnd {
  /** The number of all elements. */
  readonly count: number;
  /** The index of the byte after the closing bracket. */
  readonly end: number;
}

/** The index of the byte after the opening bracket of the list; null if the document at `start` does not begin with its name. */
export const startOfList = (bytes: Buffer, name: string, start = 0): number | null =>
  behind(bytes, start, ['{', JSON.stringify(name), ':', '[']);

/** The index of the byte after these parts, which are separated only by white space; null if they are not at `start`. */
function behind(bytes: Buffer, start: number, parts: readonly string[]): number | null {
  let index = start;
  for (const part of parts) {
    index = skipSpace(bytes, index);
    if (!isAt(bytes, index, part)) return null;
    index += part.length;
  }
  return index;
}

/** Whether the ASCII characters of `part` begin at `start`. */
function isAt(bytes: Buffer, start: number, part: string): boolean {
  for (let at = 0; at < part.length; at += 1)
    if (bytes[start + at] !== part.charCodeAt(at)) return false;
  return true;
}

/** The number of members in which `findList` looks, so that it takes a short turn of the event loop. */
const membersMax = 100;

/**
 * Like `startOfList` for one of the first members of the document; null if none of them is the list.
 * @throws TooLongToParse
 */
export function findList(
  bytes: Buffer,
  name: string,
  limits: Omit<ElementLimits, 'name'>,
): number | null {
  let member = behind(bytes, 0, ['{']);
  for (let count = 0; member !== null && count < membersMax; count += 1) {
    if (member > (limits.parsedBytesMax ?? Infinity)) throw new TooLongToParse();
    const list = behind(bytes, member, [JSON.stringify(name), ':', '[']);
    if (list !== null) return list;
    const { end } = scanElement(bytes, member, { ...limits, name: () => 'request body' });
    member = bytes[end] === commaByte ? end + 1 : null;
  }
  return null;
}

/** The number of bytes of white space in a row, so that it is skipped in a short turn of the event loop. */
const spaceBytesMax = 2 ** 20;

/** @throws RequestError 400 for too much white space */
export function skipSpace(bytes: Buffer, start: number): number {
  const end = Math.min(bytes.length, start + spaceBytesMax + 1);
  let index = start;
  while (index < end && isSpace(bytes[index])) index += 1;
  if (index - start > spaceBytesMax) throw tooMuchSpace(start);
  return index;
}

const tooMuchSpace = (start: number): RequestError =>
  badRequest(
    `request body: expected at most 1 MB of white space in a row, got more at byte ${start}`,
  );

/** The position of an element of the list. */
export interface ListPosition {
  readonly index: number;
  /** The index of the byte after the bracket or comma before it. */
  readonly start: number;
}

/** The position after some elements: another element, or the end of the list. */
export type Following = { readonly position: ListPosition } | { readonly end: ListEnd };

/**
 * Parses at most `elementsMax` elements from `position` on. `where` names the document in errors.
 * @throws RequestError 400 for invalid JSON, or an element with too many bytes or values
 * @throws TooLongToParse
 */
export function readSlice(
  bytes: Buffer,
  list: List,
  position: ListPosition,
  elementsMax: number,
  where: string,
): { readonly slice: ListSlice; readonly following: Following } {
  const bounds = boundsOf(bytes, list, position, elementsMax);
  const { first, count, end } = bounds;
  const slice =
    first < list.elementsMax
      ? { first, ...parseSlice(bytes, bounds, where) }
      : { first, elements: [], plain: true };
  if (bytes[end] === commaByte)
    return { slice, following: { position: { index: first + count, start: end + 1 } } };
  const isEmpty = skipSpace(bytes, list.start) === end;
  return { slice, following: { end: { count: isEmpty ? 0 : first + count, end: end + 1 } } };
}

const commaByte = 0x2c;

/** Consecutive elements, from the byte `start` to the comma or bracket at `end`. */
interface SliceBounds {
  readonly first: number;
  readonly count: number;
  readonly start: number;
  readonly end: number;
}

function boundsOf(
  bytes: Buffer,
  list: List,
  { index: first, start }: ListPosition,
  elementsMax: number,
): SliceBounds {
  let count = 0;
  let end = start - 1;
  const { values, digits, bytes: size, parsedBytesMax } = list.elementLimits;
  // One object for all elements, so that lists of millions of empty elements are refused quickly.
  const limits = {
    values,
    digits,
    ...(size && { bytes: size }),
    ...(parsedBytesMax !== undefined && { parsedBytesMax }),
    name: () => `${list.name}[${first + count}]`,
  };
  do {
    ({ end } = scanElement(bytes, end + 1, limits));
    count += 1;
  } while (bytes[end] === commaByte && count < elementsMax && end - start < sliceBytes);
  return { first, count, start, end };
}

/** The closing bracket, valid or not, is parsed with the last slice. */
function parseSlice(bytes: Buffer, { first, start, end }: SliceBounds, where: string) {
  const isLast = bytes[end] !== commaByte;
  const isBlank = skipSpace(bytes, start) === end;
  // Only an empty list has nothing before its end.
  const lead = isBlank && !(first === 0 && isLast) ? '[0,' : '[';
  const text = `${lead}${bytes.toString('utf8', start, isLast ? end + 1 : end)}${isLast ? '' : ']'}`;
  const { value, plain } = parseJsonDocument(text, where, {
    levels: 1,
    position: () => positionOf(bytes, start, lead.length),
  });
  return { elements: value as readonly JsonValue[], plain };
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** The line and column of the byte at `index`, minus `before` columns. */
export function positionOf(bytes: Buffer, index: number, before: number) {
  let line = 0;
  let lineStart = 0;
  for (let at = 0; at < index; at += 1) {
    const byte = bytes[at];
    if (byte !== lineFeed && byte !== carriageReturn) continue;
    if (byte === carriageReturn && bytes[at + 1] === lineFeed) continue;
    line += 1;
    lineStart = at + 1;
  }
  return { line, column: bytes.toString('utf8', lineStart, index).length - before };
}
