// Splits JSON text into parts without parsing values, so that the display has every digit and the key order of the server.
// The text comes from the server, so it is assumed to be valid.

const quote = 34;
const backslash = 92;
const comma = 44;
const openBracket = 91;
const closeBracket = 93;
const openBrace = 123;
const closeBrace = 125;

/** The index after the string that begins at `at`. */
export function stringEnd(text: string, at: number): number {
  let end = text.indexOf('"', at + 1);
  for (;;) {
    let slashes = end - 1;
    while (text.charCodeAt(slashes) === backslash) slashes -= 1;
    if ((end - 1 - slashes) % 2 === 0) return end + 1;
    end = text.indexOf('"', end + 1);
  }
}

/** The index of the first character at or after `at` that is not white space. */
export function skipSpace(text: string, at: number): number {
  let index = at;
  while (text.charCodeAt(index) <= 32) index += 1;
  return index;
}

const isOpen = (code: number) => code === openBracket || code === openBrace;
const isClose = (code: number) => code === closeBracket || code === closeBrace;

/** The index after the value that begins at `at`. Does not recurse. */
export function valueEnd(text: string, at: number): number {
  let index = at;
  let depth = 0;
  while (index < text.length) {
    const code = text.charCodeAt(index);
    if (code === quote) {
      index = stringEnd(text, index);
      if (depth === 0) return index;
      continue;
    }
    if (isOpen(code)) depth += 1;
    else if (isClose(code)) {
      if (depth === 0) return index;
      depth -= 1;
      if (depth === 0) return index + 1;
    } else if (depth === 0 && (code === comma || code <= 32)) return index;
    index += 1;
  }
  return index;
}

export interface Part {
  /** The member name as written, with quotes; empty for an element. */
  readonly key: string;
  readonly start: number;
  readonly end: number;
}

/** The members of an object, or the elements of an array, that begins at `at`. */
function partsOf(text: string, at: number): readonly Part[] {
  const parts: Part[] = [];
  const isObject = text.charCodeAt(at) === openBrace;
  let index = skipSpace(text, at + 1);
  while (!isClose(text.charCodeAt(index))) {
    let key = '';
    if (isObject) {
      const keyEnd = stringEnd(text, index);
      key = text.slice(index, keyEnd);
      index = skipSpace(text, skipSpace(text, keyEnd) + 1);
    }
    const end = valueEnd(text, index);
    parts.push({ key, start: index, end });
    index = skipSpace(text, end);
    if (text.charCodeAt(index) === comma) index = skipSpace(text, index + 1);
  }
  return parts;
}

/** JSON texts of values by column name. */
export type RawRow = ReadonlyMap<string, string>;

export const membersOf = (text: string, at = 0): RawRow =>
  new Map(
    partsOf(text, skipSpace(text, at)).map(({ key, start, end }) => [
      JSON.parse(key) as string,
      text.slice(start, end),
    ]),
  );

export const elementsOf = (text: string): readonly string[] =>
  partsOf(text, skipSpace(text, 0)).map(({ start, end }) => text.slice(start, end));

export const isContainer = (raw: string): boolean => isOpen(raw.charCodeAt(0));

/** The content of a string, or the JSON text of another value. */
export const plainText = (raw: string): string =>
  raw.startsWith('"') ? (JSON.parse(raw) as string) : raw;

/** The rows and the warnings of an answer to a query. */
export function cutRows(text: string): {
  readonly rows: readonly RawRow[];
  readonly warnings: readonly string[];
} {
  const answer = membersOf(text);
  const data = answer.get('data') ?? '[]';
  const rows = partsOf(data, 0).map(({ start }) => membersOf(data, start));
  return { rows, warnings: JSON.parse(answer.get('warnings') ?? '[]') as readonly string[] };
}

/** A row as one JSON object with its values as written. */
export const objectText = (row: RawRow): string =>
  `{${[...row].map(([name, raw]) => `${JSON.stringify(name)}:${raw}`).join(',')}}`;
