// Walks through JSON text in UTF-8: yields the members and elements of containers into which the caller descends, and the ranges of
// all other values. It validates the text between values; the parser validates the values.
import { badRequest } from '../errors.js';
import { positionOf, skipSpace } from './list-slices.js';
import { endOfString, scanElement, type ElementLimits } from './scan.js';

/** A position in a document; `where` names the document in errors. */
export interface Cursor {
  readonly bytes: Buffer;
  at: number;
  readonly where: string;
}

const invalid = ({ bytes, at, where }: Cursor, reason: string) => {
  const { line, column } = positionOf(bytes, Math.min(at, bytes.length), 0);
  return badRequest(
    `${where} is not valid JSON at line ${line + 1}, column ${column + 1}: ${reason}`,
  );
};

/** Whether the next character after white space is `character`. */
export function isAt(cursor: Cursor, character: string): boolean {
  cursor.at = skipSpace(cursor.bytes, cursor.at);
  return cursor.bytes[cursor.at] === character.charCodeAt(0);
}

function take(cursor: Cursor, character: string, name: string): void {
  if (!isAt(cursor, character)) throw invalid(cursor, `${name} expected`);
  cursor.at += 1;
}

/** Returns true for a comma, false for the end of the container. */
function takesComma(cursor: Cursor, closing: string): boolean {
  if (isAt(cursor, closing)) {
    cursor.at += 1;
    return false;
  }
  take(cursor, ',', 'comma');
  return true;
}

function takeKey(cursor: Cursor): string {
  if (!isAt(cursor, '"')) throw invalid(cursor, 'property name expected');
  const end = endOfString(cursor.bytes, cursor.at + 1);
  const text = cursor.bytes.toString('utf8', cursor.at, end);
  try {
    const key = JSON.parse(text) as string;
    cursor.at = end;
    return key;
  } catch {
    throw invalid(cursor, 'property name expected');
  }
}

/** Yields the keys of the object at the cursor. The caller must move the cursor after the value before it continues. */
export function* keysAt(cursor: Cursor): Generator<string> {
  take(cursor, '{', 'open brace');
  if (isAt(cursor, '}')) {
    cursor.at += 1;
    return;
  }
  do {
    const key = takeKey(cursor);
    take(cursor, ':', 'colon');
    yield key;
  } while (takesComma(cursor, '}'));
}

/** Yields the indexes of the array at the cursor, like `keysAt`. */
export function* indexesAt(cursor: Cursor): Generator<number> {
  take(cursor, '[', 'open bracket');
  if (isAt(cursor, ']')) {
    cursor.at += 1;
    return;
  }
  let index = 0;
  do yield index++;
  while (takesComma(cursor, ']'));
}

/** Moves the cursor after the value and returns its range. @throws RequestError 400 if it has too many values */
export function rangeOfValue(
  cursor: Cursor,
  limits: ElementLimits,
): { readonly start: number; readonly end: number } {
  const start = skipSpace(cursor.bytes, cursor.at);
  const { end } = scanElement(cursor.bytes, start, limits);
  if (end === start) throw invalid(cursor, 'value expected');
  cursor.at = end;
  return { start, end };
}

/** Whether only white space follows. */
export function endsAt(cursor: Cursor): boolean {
  cursor.at = skipSpace(cursor.bytes, cursor.at);
  return cursor.at === cursor.bytes.length;
}

/** @throws RequestError 400 if anything but white space follows */
export function endOfDocument(cursor: Cursor): void {
  if (!endsAt(cursor)) throw invalid(cursor, 'end of file expected');
}
