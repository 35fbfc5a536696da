// Decodes JSON Lines: an event on each line. Lines without one are skipped. The rules are those of events in a list.
import { badRequest, type RequestError } from '../errors.js';
import { createText, copyText, type Text } from '../json/compact/text.js';
import { skipSpace } from '../json/list-slices.js';
import { parseJsonDocument } from '../json/parse.js';
import { isSpace, scanElement } from '../json/scan.js';
import type { Scan } from '../json/scanned-list.js';
import type { EventObjectKind } from '../schema/event-row.js';
import { limits } from '../schema/limits.js';
import { elementLimitsOf, refuseLong, where, type TextLimits } from './body-text.js';
import { readPlacedEvent } from './decode.js';
import type { IncomingEvent } from './incoming.js';
import { eventScanner } from './scan-event.js';

/** The number of bytes to read in a step, unless a line is longer. */
const stepBytes = 2 ** 16;

/** Longer lines are parsed. */
const scannedBytesMax = 1_000_000;

const lineFeed = 0x0a;

/**
 * Each step reads some lines or a single long one, and yields their events; the caller may pause between steps.
 * @throws RequestError 400
 * @throws TooLongToParse
 */
export function* decodeLinesInSteps(
  kind: EventObjectKind,
  body: Buffer,
  textLimits: TextLimits,
): Generator<readonly IncomingEvent[], void> {
  const scan = eventScanner(kind);
  const text = createText();
  let [start, line, count] = [0, 1, 0];
  while (start < body.length) {
    const end = endOfLines(body, start);
    const lines = { body, start, end, line };
    const events: IncomingEvent[] = [];
    if (end - start > scannedBytesMax) {
      readLine(kind, lines, textLimits, events);
      line += 1;
    } else line += scanLines(kind, lines, textLimits, { scan, text, events });
    count += events.length;
    if (count > limits.events.max) throw tooManyEvents();
    yield events;
    start = end;
  }
}

const tooManyEvents = (): RequestError =>
  badRequest(`${where}: expected at most ${limits.events.max} events, got more`);

/** The index after as many whole lines as a step reads, and after one at least. */
function endOfLines(body: Buffer, start: number): number {
  if (body.length - start <= stepBytes) return body.length;
  const last = body.lastIndexOf(lineFeed, start + stepBytes - 1);
  return last < start ? lineEnd(body, start + stepBytes, body.length) : last + 1;
}

/** The index after the line feed of the line, or `end`. */
function lineEnd(bytes: Buffer, start: number, end: number): number {
  const found = bytes.indexOf(lineFeed, start);
  return found === -1 || found >= end ? end : found + 1;
}

/** Some lines of the body, of which the first has this number. */
interface Lines {
  readonly body: Buffer;
  readonly start: number;
  readonly end: number;
  readonly line: number;
}

interface Scanner {
  readonly scan: Scan<IncomingEvent>;
  readonly text: Text;
  readonly events: IncomingEvent[];
}

/** Reads lines of the scanner's form without creating values, and parses the others. Returns the number of lines. */
function scanLines(
  kind: EventObjectKind,
  { body, start, end, line }: Lines,
  textLimits: TextLimits,
  { scan, text, events }: Scanner,
): number {
  copyText(text, body, start, end - start);
  let count = 0;
  for (let at = 0; at < text.end; count += 1) {
    const next = lineEnd(body, start + at, end) - start;
    const before = events.length;
    const stop = scanLine(scan, text, { at, next }, events);
    if (stop === next) {
      if (events.length > before) Object.assign(events[before]!, { place: placeOf(line + count) });
    } else {
      events.length = before;
      const one = { body, start: start + at, end: start + next, line: line + count };
      readLine(kind, one, textLimits, events);
    }
    at = next;
  }
  return count;
}

/** Returns the index up to which the line is an event or blank; -1 if the event does not end in it. */
function scanLine(
  scan: Scan<IncomingEvent>,
  text: Text,
  { at, next }: { readonly at: number; readonly next: number },
  events: IncomingEvent[],
): number {
  const first = endOfSpace(text, at, next);
  if (first === next) return next;
  const end = scan(text, first, 0, events);
  return end < 0 || end > next ? -1 : endOfSpace(text, end, next);
}

function endOfSpace({ bytes }: Text, start: number, end: number): number {
  let at = start;
  while (at < end && isSpace(bytes[at])) at += 1;
  return at;
}

function readLine(
  kind: EventObjectKind,
  { body, start, end, line }: Lines,
  textLimits: TextLimits,
  events: IncomingEvent[],
): void {
  const place = placeOf(line);
  const bytes = body.subarray(start, body[end - 1] === lineFeed ? end - 1 : end);
  if (skipSpace(bytes, 0) === bytes.length) return;
  const { textBytesMax } = textLimits;
  if (bytes.length > textBytesMax)
    throw badRequest(`${place}: expected at most ${textBytesMax / 2 ** 20} MB of text, got more`);
  refuseLong(bytes.length, textLimits);
  scanElement(bytes, 0, { ...elementLimitsOf(textLimits), name: () => place });
  const position = () => ({ line: line - 1, column: 0 });
  const { value, plain } = parseJsonDocument(bytes.toString(), place, { levels: 0, position });
  events.push(readPlacedEvent(kind, value, plain, place));
}

const placeOf = (line: number): string => `line ${line}`;
