// The canonical text of a JSON value, for equality, group keys and sorting: equal values have equal texts.

/**
 * Keys are in code point order, numbers as JavaScript prints their double (outside of its range `1e999` and
 * `-1e999`), without white space. `text` must be valid JSON.
 */
export const canonicalJson = (text: string): string => write(JSON.parse(text));

function write(value: unknown): string {
  if (typeof value === 'number') return writeNumber(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(write).join()}]`;
  const members = Object.entries(value)
    .sort(([left], [right]) => compareCodePoints(left, right))
    .map(([key, part]) => `${JSON.stringify(key)}:${write(part)}`);
  return `{${members.join()}}`;
}

function writeNumber(value: number): string {
  if (Number.isFinite(value)) return JSON.stringify(value);
  return value > 0 ? '1e999' : '-1e999';
}

const aboveSurrogates = /[\ud800-\uffff]/;

/** Compares code points. JavaScript compares UTF-16 units, which sorts U+E000 to U+FFFF after characters above U+FFFF. */
function compareCodePoints(left: string, right: string): number {
  if (aboveSurrogates.test(left) && aboveSurrogates.test(right)) {
    return Buffer.compare(Buffer.from(left), Buffer.from(right));
  }
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
