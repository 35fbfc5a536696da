// The list of a document `{"<name>": [...]}`, a slice at a time, with a scanner before the parser: what the scanner takes
// never becomes an object, the elements that it leaves are parsed.
import { copyText, createText, endOfSpace, lookahead, type Text } from './compact/text.js';
import {
  readSlice,
  sliceBytes,
  sliceElements,
  type Following,
  type List,
  type ListEnd,
  type ListPlace,
  type ListSlice,
} from './list-slices.js';

/**
 * Scans the element at `at`, which has this index in the list, and pushes what it makes of it. It returns the index behind
 * the element, or the complement of where it stopped.
 */
export type Scan<T> = (text: Text, at: number, index: number, into: T[]) => number;

/** Elements that the scanner took. */
export interface ScannedSlice<T> {
  /** Index of its first element in the list. */
  readonly first: number;
  readonly scanned: readonly T[];
}

/**
 * `where` is what errors call the document.
 * @throws RequestError 400 for JSON that is not valid, or an element that holds too much
 */
export function* scannedSlices<T>(
  bytes: Buffer,
  list: List,
  where: string,
  scan: Scan<T>,
): Generator<ScannedSlice<T> | ListSlice, ListEnd> {
  let place: ListPlace = { index: 0, start: list.start };
  // Doubled as long as the scanner takes nothing in between: then it costs little.
  let parsedMax = 1;
  for (;;) {
    const run: Run<T> = scanRun(bytes, list, place, scan);
    if (run.scanned.length > 0) {
      yield { first: place.index, scanned: run.scanned };
      parsedMax = 1;
    }
    if ('end' in run.following) return run.following.end;
    place = run.following.place;
    if (!run.isStopped) continue;
    const { slice, following } = readSlice(bytes, list, place, parsedMax, where);
    yield slice;
    if ('end' in following) return following.end;
    place = following.place;
    parsedMax = Math.min(2 * parsedMax, sliceElements);
  }
}

/** So much is copied at a time, unless an element is longer. */
const windowBytes = 2 ** 16;

/** Longer elements are parsed. */
const elementBytesMax = 1_000_000;

/** A run ends before the event loop turns, so one text serves all requests. */
const text = createText(elementBytesMax);

interface Run<T> {
  readonly scanned: readonly T[];
  readonly following: Following;
  /** The element that follows is one for the parser. */
  readonly isStopped: boolean;
}

function scanRun<T>(bytes: Buffer, list: List, from: ListPlace, scan: Scan<T>): Run<T> {
  const { elementsMax, elementLimits } = list;
  // The values of an element are not counted: it has fewer than bytes.
  const lengthMax = Math.min(elementBytesMax, elementLimits.values.max);
  const countMax = Math.min(sliceElements, elementsMax - from.index);
  const scanned: T[] = [];
  if (countMax <= 0) return { scanned, following: { place: from }, isStopped: true };
  let { start } = from;
  let length = Math.min(windowBytes, lengthMax);
  for (;;) {
    const isText = copyText(text, bytes, start, length);
    const before = scanned.length;
    const window = isText ? scanWindow(from.index, countMax, scan, scanned) : nothing;
    const index = from.index + scanned.length;
    start += window.taken;
    if (window.isLast)
      return { scanned, following: { end: { count: index, end: start } }, isStopped: false };
    const following = { place: { index, start } };
    if (scanned.length === countMax || start - from.start >= sliceBytes)
      return { scanned, following, isStopped: index === elementsMax };
    const isCut =
      window.stop >= text.end - lookahead && start - window.taken + text.end < bytes.length;
    const mayGo = isText && isCut && (scanned.length > before || length < lengthMax);
    if (!mayGo) return { scanned, following, isStopped: true };
    if (scanned.length === before) length = lengthMax;
  }
}

interface Window {
  /** Bytes of the elements that were taken, with the comma or bracket behind each. */
  readonly taken: number;
  /** Index of the byte where the scanner stopped. */
  readonly stop: number;
  /** The bracket that closes the list was reached. */
  readonly isLast: boolean;
}

const nothing: Window = { taken: 0, stop: 0, isLast: false };

const comma = 0x2c;
const closeBracket = 0x5d;

/** Scans the text until `countMax` elements have been taken. `first` is the index of the first of them in the list. */
function scanWindow<T>(first: number, countMax: number, scan: Scan<T>, scanned: T[]): Window {
  const { bytes } = text;
  let taken = 0;
  while (scanned.length < countMax) {
    const end = scan(text, endOfSpace(bytes, taken), first + scanned.length, scanned);
    if (end < 0) return { taken, stop: ~end, isLast: false };
    const behind = endOfSpace(bytes, end);
    const isLast = bytes[behind] === closeBracket;
    if (!isLast && bytes[behind] !== comma) {
      scanned.pop();
      return { taken, stop: behind, isLast: false };
    }
    taken = behind + 1;
    if (isLast) return { taken, stop: taken, isLast };
  }
  return { taken, stop: taken, isLast: false };
}
