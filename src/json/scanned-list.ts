// Reads the list in a document `{"<name>": [...]}` slice by slice. A scanner reads elements without creating objects; elements
// that it declines are parsed.
import { copyText, createText, endOfSpace, lookahead, type Text } from './compact/text.js';
import {
  readSlice,
  sliceBytes,
  sliceElements,
  type Following,
  type List,
  type ListEnd,
  type ListPosition,
  type ListSlice,
} from './list-slices.js';

/**
 * Scans the element at `at`, which has this index in the list, and pushes the result. It returns the index after
 * the element, or the complement of the index at which it stopped.
 */
export type Scan<T> = (text: Text, at: number, index: number, into: T[]) => number;

/** Elements that the scanner accepted. */
export interface ScannedSlice<T> {
  /** The index of its first element in the list. */
  readonly first: number;
  readonly scanned: readonly T[];
}

/**
 * `where` names the document in errors.
 * @throws RequestError 400 for invalid JSON, or an element with too many values
 * @throws TooLongToParse
 */
export function* scannedSlices<T>(
  bytes: Buffer,
  list: List,
  where: string,
  scan: Scan<T>,
): Generator<ScannedSlice<T> | ListSlice, ListEnd> {
  let position: ListPosition = { index: 0, start: list.start };
  // Doubles while the scanner accepts nothing in between, so that it costs little.
  let parsedMax = 1;
  for (;;) {
    const run: Run<T> = scanRun(bytes, list, position, scan);
    if (run.scanned.length > 0) {
      yield { first: position.index, scanned: run.scanned };
      parsedMax = 1;
    }
    if ('end' in run.following) return run.following.end;
    position = run.following.position;
    if (!run.isStopped) continue;
    const { slice, following } = readSlice(bytes, list, position, parsedMax, where);
    yield slice;
    if ('end' in following) return following.end;
    position = following.position;
    parsedMax = Math.min(2 * parsedMax, sliceElements);
  }
}

/** The number of bytes to copy at a time, unless an element is longer. */
const windowBytes = 2 ** 16;

/** Longer elements are parsed. */
const elementBytesMax = 1_000_000;

/** All requests share one, since a run ends before the event loop turns. */
const text = createText();

interface Run<T> {
  readonly scanned: readonly T[];
  readonly following: Following;
  /** Whether the next element needs the parser. */
  readonly isStopped: boolean;
}

function scanRun<T>(bytes: Buffer, list: List, from: ListPosition, scan: Scan<T>): Run<T> {
  const { elementsMax, elementLimits } = list;
  // The values of an element need not be counted: it has fewer values than bytes.
  const lengthMax = Math.min(elementBytesMax, elementLimits.values.max);
  const countMax = Math.min(sliceElements, elementsMax - from.index);
  const scanned: T[] = [];
  if (countMax <= 0) return { scanned, following: { position: from }, isStopped: true };
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
    const following = { position: { index, start } };
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
  /** The bytes of the accepted elements, including the comma or bracket after each. */
  readonly taken: number;
  /** The index of the byte at which the scanner stopped. */
  readonly stop: number;
  /** Whether the closing bracket of the list was reached. */
  readonly isLast: boolean;
}

const nothing: Window = { taken: 0, stop: 0, isLast: false };

const comma = 0x2c;
const closeBracket = 0x5d;

/** Scans until `countMax` elements are accepted. `first` is the index of the first one in the list. */
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
