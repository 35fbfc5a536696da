// The bytes of a document `{"<name>": [...]}` -> some elements of its list, parsed: only the values of one slice are in
// memory, and the reader can pause between two. Errors are those of the document parsed as a whole.
import type { JsonValue } from './json.js';
import { parseJsonDocument } from './parse.js';
import { isSpace, scanElement, type ElementLimits } from './scan.js';

/** Of one slice; only its last element goes beyond. */
export const sliceBytes = 2 ** 18;
export const sliceElements = 1000;

export interface ListSlice {
  /** Index of its first element in the list. */
  readonly first: number;
  readonly elements: readonly JsonValue[];
  /** The elements hold no `Map` and no `LosslessNumber`. */
  readonly plain: boolean;
}

export interface List {
  readonly name: string;
  /** Index of the byte behind the opening bracket. */
  readonly start: number;
  /** Elements behind these are counted but not parsed: their slices are empty. */
  readonly elementsMax: number;
  readonly elementLimits: Omit<ElementLimits, 'name'>;
}

export interface ListEnd {
  /** Number of all elements. */
  readonly count: number;
  /** Index of the byte behind the closing bracket. */
  readonly end: number;
}

/** Index of the byte behind the bracket that opens the list; null when the document does not begin with its name. */
export const startOfList = (bytes: Buffer, name: string): number | null =>
  behind(bytes, 0, ['{', JSON.stringify(name), ':', '[']);

/** Index of the byte behind these parts, which follow one another from `start` with nothing but spaces between them. */
function behind(bytes: Buffer, start: number, parts: readonly string[]): number | null {
  let index = start;
  for (const part of parts) {
    index = skipSpace(bytes, index);
    if (bytes.toString('latin1', index, index + part.length) !== part) return null;
    index += part.length;
  }
  return index;
}

/** As `startOfList`, wherever the member of this name stands in the document; null when there is none with a list. */
export function findList(
  bytes: Buffer,
  name: string,
  limits: Omit<ElementLimits, 'name'>,
): number | null {
  let member = behind(bytes, 0, ['{']);
  while (member !== null) {
    const list = behind(bytes, member, [JSON.stringify(name), ':', '[']);
    if (list !== null) return list;
    const { end } = scanElement(bytes, member, { ...limits, name: () => 'request body' });
    member = bytes[end] === commaByte ? end + 1 : null;
  }
  return null;
}

export function skipSpace(bytes: Buffer, start: number): number {
  let index = start;
  while (index < bytes.length && isSpace(bytes[index])) index += 1;
  return index;
}

/** An element of the list. */
export interface ListPlace {
  readonly index: number;
  /** Index of the byte behind the bracket or comma before it. */
  readonly start: number;
}

/** What follows some elements: another one, or the end of the list. */
export type Following = { readonly place: ListPlace } | { readonly end: ListEnd };

/**
 * Parses the elements from `place` on, at most `elementsMax` of them. `where` is what errors call the document.
 * @throws RequestError 400 for JSON that is not valid, or an element that holds too much
 */
export function readSlice(
  bytes: Buffer,
  list: List,
  place: ListPlace,
  elementsMax: number,
  where: string,
): { readonly slice: ListSlice; readonly following: Following } {
  const bounds = boundsOf(bytes, list, place, elementsMax);
  const { first, count, end } = bounds;
  const slice =
    first < list.elementsMax
      ? { first, ...parseSlice(bytes, bounds, where) }
      : { first, elements: [], plain: true };
  if (bytes[end] === commaByte)
    return { slice, following: { place: { index: first + count, start: end + 1 } } };
  const isEmpty = skipSpace(bytes, list.start) === end;
  return { slice, following: { end: { count: isEmpty ? 0 : first + count, end: end + 1 } } };
}

const commaByte = 0x2c;

/** Elements that follow one another, from the byte `start` to the comma or bracket at `end`. */
interface SliceBounds {
  readonly first: number;
  readonly count: number;
  readonly start: number;
  readonly end: number;
}

function boundsOf(
  bytes: Buffer,
  list: List,
  { index: first, start }: ListPlace,
  elementsMax: number,
): SliceBounds {
  let count = 0;
  let end = start - 1;
  const { values, digits } = list.elementLimits;
  // One object for all elements: lists of millions of empty ones come, and are to be refused soon.
  const limits = { values, digits, name: () => `${list.name}[${first + count}]` };
  do {
    ({ end } = scanElement(bytes, end + 1, limits));
    count += 1;
  } while (bytes[end] === commaByte && count < elementsMax && end - start < sliceBytes);
  return { first, count, start, end };
}

/** What closes the list, right or wrong, is parsed with the last slice. */
function parseSlice(bytes: Buffer, { first, start, end }: SliceBounds, where: string) {
  const isLast = bytes[end] !== commaByte;
  const isBlank = skipSpace(bytes, start) === end;
  // Only a list without elements may have nothing before its end.
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

/** Line and column of the byte at `index`, `before` columns to the left; lines end as JSON's editors count them. */
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
