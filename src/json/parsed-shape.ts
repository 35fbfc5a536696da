// Properties of a JSON text that follow from one walk over the value that JSON.parse returned.

interface ParsedShape {
  /** Whether arrays and objects nest deeper than the given number of levels. */
  isTooDeep: boolean;
  /** Whether some object has a key that looks like an array index, which JavaScript may have moved to the front. */
  hasIndexKeys: boolean;
}

type Parsed = readonly unknown[] | Readonly<Record<string, unknown>>;

export function shapeOfParsed(value: unknown, levels: number): Readonly<ParsedShape> {
  const found: ParsedShape = { isTooDeep: false, hasIndexKeys: false };
  walkPart(value, levels, found);
  return found;
}

function walkPart(part: unknown, levels: number, found: ParsedShape): void {
  if (typeof part === 'object' && part !== null) walk(part as Parsed, levels, found);
}

function walk(value: Parsed, levels: number, found: ParsedShape): void {
  if (levels === 0) found.isTooDeep = true;
  else if (Array.isArray(value)) for (const part of value) walkPart(part, levels - 1, found);
  else walkMembers(value as Readonly<Record<string, unknown>>, levels - 1, found);
}

function walkMembers(
  object: Readonly<Record<string, unknown>>,
  levels: number,
  found: ParsedShape,
): void {
  let isFirst = true;
  // for…in is several times faster than lists of keys, and parsed objects inherit nothing enumerable.
  for (const key in object) {
    // Array indexes come first.
    if (isFirst && looksLikeIndex(key)) found.hasIndexKeys = true;
    isFirst = false;
    walkPart(object[key], levels, found);
  }
}

const index = /^(?:0|[1-9]\d{0,9})$/;

/** Whether the key may be an array index. The first digit is tested on its own, since that is faster for all other keys. */
export const looksLikeIndex = (key: string): boolean => beginsWithDigit(key) && index.test(key);

function beginsWithDigit(key: string): boolean {
  const code = key.charCodeAt(0);
  return code >= 48 && code <= 57;
}
