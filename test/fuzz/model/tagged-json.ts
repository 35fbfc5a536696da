// JSON text -> a tree that holds it exactly: strings and keys begin with `s`, numbers are texts that begin
// with `n`, so that JavaScript neither rounds a number nor moves or interprets a key.
import { splitNumber } from 'lossless-json';

export type Tagged = null | boolean | string | readonly Tagged[] | TaggedObject;
export interface TaggedObject {
  readonly [key: string]: Tagged;
}

const token = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;

/** The tree of a JSON text. Unpaired surrogates become U+FFFD; a number has one spelling per value. */
export const tag = (text: string): Tagged =>
  JSON.parse(text.replaceAll(token, (found) => taggedToken(found))) as Tagged;

function taggedToken(found: string): string {
  if (!found.startsWith('"')) return `"n${exactNumber(found)}"`;
  const text = /\\ud/i.test(found) ? wellFormed(found) : found;
  return `"s${text.slice(1)}`;
}

const wellFormed = (quoted: string): string =>
  JSON.stringify(Buffer.from(JSON.parse(quoted) as string).toString());

/** In scientific notation: one spelling per value. */
function exactNumber(text: string): string {
  const { sign, digits, exponent } = splitNumber(text);
  return digits === '0' ? '0' : `${sign}${digits[0]}.${digits.slice(1)}e${exponent}`;
}

export const string = (text: string): string => `s${text}`;
export const number = (value: number): string => `n${value}`;

export const isObject = (value: Tagged): value is TaggedObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const isArray = (value: Tagged): value is readonly Tagged[] => Array.isArray(value);
export const isNumber = (value: Tagged): value is string =>
  typeof value === 'string' && value.startsWith('n');
export const isString = (value: Tagged): value is string =>
  typeof value === 'string' && value.startsWith('s');

/** The text of a string; throws for anything else. */
export function textIn(value: Tagged | undefined): string {
  if (typeof value !== 'string' || !isString(value))
    throw new Error(`expected a string, got ${JSON.stringify(value)}`);
  return value.slice(1);
}

/** The double of a number, null for anything else. */
export const doubleOf = (value: Tagged): number | null =>
  isNumber(value) ? Number(value.slice(1)) + 0 : null;

export const byCodePoint = (left: string, right: string): number =>
  left === right ? 0 : Buffer.compare(Buffer.from(left), Buffer.from(right));

/** One text per value where numbers count by their double and the order of keys does not matter. */
export function canonical(value: Tagged): string {
  if (isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (isObject(value)) return `{${canonicalMembers(value).join(',')}}`;
  if (typeof value !== 'string') return String(value);
  if (value.startsWith('s')) return JSON.stringify(value.slice(1));
  const double = Number(value.slice(1));
  if (Number.isFinite(double)) return String(double + 0);
  return double > 0 ? '1e999' : '-1e999';
}

const canonicalMembers = (value: TaggedObject): readonly string[] =>
  Object.keys(value)
    .sort(byCodePoint)
    .map((key) => `${JSON.stringify(key.slice(1))}:${canonical(value[key] ?? null)}`);
