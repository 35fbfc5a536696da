// Strings: the text of values, patterns, words.
import { doubleOf, isArray, isObject, isString, type Tagged } from './model/tagged-json.js';
import { asJson } from './timestamps.js';

/** The documents leave the answer open, for example how a number of 30 digits is spelt. */
export class Unspecified extends Error {
  override readonly name = 'Unspecified';
}

/** The characters of a string or timestamp; null for anything else. */
export function stringOf(value: Tagged): string | null {
  const json = asJson(value);
  return isString(json) ? json.slice(1) : null;
}

/** A string as it is, the JSON text of anything else; null for NULL. */
export const textOf = (value: Tagged): string | null => {
  const double = doubleOf(value);
  if (double !== null) return numberText(double);
  return value === null ? null : (stringOf(value) ?? jsonText(value));
};

/** As `textOf`, but with the characters that escapes of JSON stand for. */
export const wordsText = (value: Tagged): string | null =>
  isArray(value) || isObject(value) ? jsonText(value, (text) => `"${text}"`) : textOf(value);

/** As it is stored, digit by digit. */
export function jsonText(value: Tagged, quote: (text: string) => string = JSON.stringify): string {
  if (isArray(value)) return `[${value.map((each) => jsonText(each, quote)).join(',')}]`;
  if (isObject(value))
    return `{${Object.entries(value)
      .map(([key, member]) => `${quote(key.slice(1))}:${jsonText(member, quote)}`)
      .join(',')}}`;
  if (typeof value !== 'string') return String(value);
  return value.startsWith('n') ? exactText(value.slice(1)) : quote(value.slice(1));
}

function numberText(double: number): string {
  const size = Math.abs(double);
  const isPlain = double === 0 || (size >= 1e-4 && size < 1e15);
  if (isPlain || (Number.isInteger(double) && size < 2e16)) return String(double);
  throw new Unspecified('the text of a number');
}

/** Of a number in the notation of `tag`. */
function exactText(tagged: string): string {
  const [, sign = '', digits = '', exponent = ''] = /^(-?)([\d.]+)e(\d+)$/.exec(tagged) ?? [];
  const isWhole = digits !== '' && digits.length - 2 <= Number(exponent);
  if (!isWhole) return numberText(Number(tagged));
  return `${sign}${digits.replace('.', '').padEnd(Number(exponent) + 1, '0')}`;
}

const escaped = (text: string) => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);

/** `%` stands for any characters, a backslash takes that meaning from it. */
function patternOf(pattern: string, flags: string): RegExp {
  const parts = pattern.split(/(\\%|%)/).map((part) => {
    if (part === '%') return '[^]*';
    return escaped(part === String.raw`\%` ? '%' : part);
  });
  return new RegExp(`^${parts.join('')}$`, flags);
}

export const isLike = (text: string, pattern: string): boolean =>
  patternOf(pattern, 'u').test(text);

export function isIlike(text: string, pattern: string): boolean {
  const isAnchored = pattern.replaceAll(String.raw`\%`, '').includes('%');
  return patternOf(isAnchored ? pattern : `%${pattern}%`, 'iu').test(text);
}

const wordsOf = (text: string): readonly string[] =>
  (text.match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => word.toLowerCase());

/** Whether the words of the pattern stand next to each other in the text. */
export function isMatch(text: string, pattern: string): boolean {
  const [words, wanted] = [wordsOf(text), wordsOf(pattern)];
  return (
    wanted.length > 0 &&
    words.some((_, start) => wanted.every((word, index) => words[start + index] === word))
  );
}
