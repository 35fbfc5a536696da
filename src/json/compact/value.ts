// Compacts values of JSON text, and checks members of objects in the same pass.
import { addName, compactColon, compactName } from './name.js';
import { compactNumber } from './number.js';
import { compactString } from './string.js';
import { dropBytes, dropSpace, type Text } from './text.js';

/** The maximum depth of arrays and objects; deeper ones need the parser. */
const levelsMax = 100;

const space = 0x20;
const quote = 0x22;
const comma = 0x2c;
const minus = 0x2d;
const point = 0x2e;
const zero = 0x30;
const nine = 0x39;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const letterE = 0x65;
const letterF = 0x66;
const letterN = 0x6e;
const letterT = 0x74;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** The required type of a value; null is always allowed. */
export type Kind =
  'any' | 'number' | 'integer' | 'string' | 'boolean' | 'score' | 'object' | 'null';

/** The required types of members, by the hash of their name. */
export interface Members {
  readonly known: ReadonlyMap<number, Kind>;
  readonly others: Kind;
}

const isNumberStart = (byte: number): boolean => byte === minus || (byte >= zero && byte <= nine);

/** Like `compactValue` for a value of this type; booleans become the scores 0 and 1. */
export function compactOfKind(text: Text, at: number, level: number, kind: Kind): number {
  const byte = text.bytes[at]!;
  if (byte === letterN) return compactWord(text, at, 'null');
  switch (kind) {
    case 'any':
      return compactValue(text, at, level);
    case 'number':
      return isNumberStart(byte) ? compactNumber(text, at) : ~at;
    case 'integer':
      return isNumberStart(byte) ? compactInteger(text, at) : ~at;
    case 'string':
      return byte === quote ? compactValue(text, at, level) : ~at;
    case 'boolean':
      return byte === letterT || byte === letterF ? compactValue(text, at, level) : ~at;
    case 'score':
      return isNumberStart(byte) ? compactNumber(text, at) : compactBit(text, at);
    case 'object':
      return byte === openBrace ? compactObject(text, at, level, null) : ~at;
    default:
      return ~at;
  }
}

/** Whether the number has neither a point nor an exponent. */
function compactInteger(text: Text, start: number): number {
  const { bytes } = text;
  let at = start + 1;
  while (bytes[at]! >= zero && bytes[at]! <= nine) at += 1;
  return bytes[at] === point || (bytes[at]! | 0x20) === letterE ? ~at : compactNumber(text, start);
}

function compactBit(text: Text, start: number): number {
  const isTrue = text.bytes[start] === letterT;
  const end = compactWord(text, start, isTrue ? 'true' : 'false');
  if (end < 0) return end;
  dropBytes(text, start, end);
  text.bytes[text.write] = isTrue ? zero + 1 : zero;
  text.write += 1;
  return end;
}

/** Compacts the value whose first byte is at `at`. */
export function compactValue(text: Text, at: number, level: number): number {
  switch (text.bytes[at]) {
    case quote:
      return compactString(text, at + 1);
    case openBrace:
      return compactObject(text, at, level, null);
    case openBracket:
      return compactArray(text, at, level);
    case letterT:
      return compactWord(text, at, 'true');
    case letterF:
      return compactWord(text, at, 'false');
    case letterN:
      return compactWord(text, at, 'null');
    default:
      return compactNumber(text, at);
  }
}

function compactWord({ bytes }: Text, at: number, word: string): number {
  for (let index = 0; index < word.length; index += 1)
    if (bytes[at + index] !== word.charCodeAt(index)) return ~(at + index);
  return at + word.length;
}

function compactArray(text: Text, start: number, level: number): number {
  const { bytes } = text;
  if (level > levelsMax) return ~start;
  let at = start + 1;
  if (bytes[at]! <= space) at = dropSpace(text, at);
  if (bytes[at] === closeBracket) return at + 1;
  for (;;) {
    at = compactValue(text, at, level + 1);
    if (at < 0) return at;
    if (bytes[at]! <= space) at = dropSpace(text, at);
    if (bytes[at] !== comma) return bytes[at] === closeBracket ? at + 1 : ~at;
    at += 1;
    if (bytes[at]! <= space) at = dropSpace(text, at);
  }
}

/** @param members null if every value is allowed */
export function compactObject(
  text: Text,
  start: number,
  level: number,
  members: Members | null,
): number {
  const { bytes, names } = text;
  if (level > levelsMax) return ~start;
  const firstName = names.count;
  let at = start + 1;
  if (bytes[at]! <= space) at = dropSpace(text, at);
  if (bytes[at] === closeBrace) return at + 1;
  for (;;) {
    at = compactName(text, at);
    if (at < 0) return at;
    if (!addName(names, firstName)) return ~at;
    const kind = members === null ? 'any' : (members.known.get(names.hash) ?? members.others);
    at = compactColon(text, at);
    if (at < 0) return at;
    at =
      kind === 'any' ? compactValue(text, at, level + 1) : compactOfKind(text, at, level + 1, kind);
    if (at < 0) return at;
    if (bytes[at]! <= space) at = dropSpace(text, at);
    if (bytes[at] !== comma) break;
    at += 1;
    if (bytes[at]! <= space) at = dropSpace(text, at);
  }
  names.count = firstName;
  return bytes[at] === closeBrace ? at + 1 : ~at;
}
