// JSON text -> the one text that all texts of an equal value share: for equality, group keys and sorting.

/**
 * Keys sorted by code point, numbers as JavaScript prints their double (beyond its range `1e999` and
 * `-1e999`), no white space. `text` must be valid JSON.
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

/** JavaScript compares UTF-16 units, which puts U+E000 to U+FFFF behind the astral characters. */
function compareCodePoints(left: string, right: string): number {
  if (aboveSurrogates.test(left) && aboveSurrogates.test(right)) {
    return Buffer.compare(Buffer.from(left), Buffer.from(right));
  }
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
