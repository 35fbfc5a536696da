// Values of JSON text, made compact, and objects whose members are checked on the way.
import { addName, compactName } from './name.js';
import { compactNumber } from './number.js';
import { compactString } from './string.js';
import { put, skipSpace, type Text } from './text.js';

/** Arrays and objects may be nested in so many levels; what is deeper needs the parser. */
const levelsMax = 100;

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const letterF = 0x66;
const letterN = 0x6e;
const letterT = 0x74;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** What a value has to be; null is always allowed. */
export type Kind = 'any' | 'number' | 'integer' | 'string' | 'boolean' | 'score' | 'object' | 'null';

/** The kinds of members by the hash of their name. */
export interface Members {
  readonly known: ReadonlyMap<number, Kind>;
  readonly others: Kind;
}

const isNumberStart = (byte: number): boolean => byte === 0x2d || (byte >= 0x30 && byte <= 0x39);

/** As `compactValue`, of a value of that kind; booleans become the scores 0 and 1. */
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
    case 'null':
      return ~at;
  }
}

function compactInteger(text: Text, start: number): number {
  const from = text.write;
  const end = compactNumber(text, start);
  if (end < 0) return end;
  for (let at = from; at < text.write; at += 1)
    if (!isNumberStart(text.bytes[at]!)) return ~end;
  return end;
}

function compactBit(text: Text, start: number): number {
  const from = text.write;
  const isTrue = text.bytes[start] === letterT;
  const end = compactWord(text, start, isTrue ? 'true' : 'false');
  text.write = from;
  put(text, isTrue ? 0x31 : 0x30);
  return end;
}

/** The value whose first byte is at `at`. */
export function compactValue(text: Text, at: number, level: number): number {
  switch (text.bytes[at]) {
    case quote:
      put(text, quote);
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

function compactWord(text: Text, at: number, word: string): number {
  const { bytes } = text;
  for (let index = 0; index < word.length; index += 1) {
    const byte = word.charCodeAt(index);
    if (bytes[at + index] !== byte) return ~(at + index);
    put(text, byte);
  }
  return at + word.length;
}

function compactArray(text: Text, start: number, level: number): number {
  const { bytes } = text;
  if (level > levelsMax) return ~start;
  put(text, openBracket);
  let at = skipSpace(bytes, start + 1);
  if (bytes[at] !== closeBracket)
    for (;;) {
      at = compactValue(text, at, level + 1);
      if (at < 0) return at;
      at = skipSpace(bytes, at);
      if (bytes[at] !== comma) break;
      put(text, comma);
      at = skipSpace(bytes, at + 1);
    }
  if (bytes[at] !== closeBracket) return ~at;
  put(text, closeBracket);
  return at + 1;
}

/** @param members null when every value is allowed */
export function compactObject(
  text: Text,
  start: number,
  level: number,
  members: Members | null,
): number {
  const { bytes } = text;
  if (level > levelsMax) return ~start;
  const firstName = text.names.count;
  put(text, openBrace);
  let at = skipSpace(bytes, start + 1);
  if (bytes[at] !== closeBrace)
    for (;;) {
      at = compactName(text, at);
      if (at < 0) return at;
      if (!addName(text.names, firstName)) return ~at;
      put(text, colon);
      at =
        members === null
          ? compactValue(text, at, level + 1)
          : compactOfKind(text, at, level + 1, members.known.get(text.names.hash) ?? members.others);
      if (at < 0) return at;
      at = skipSpace(bytes, at);
      if (bytes[at] !== comma) break;
      put(text, comma);
      at = skipSpace(bytes, at + 1);
    }
  if (bytes[at] !== closeBrace) return ~at;
  put(text, closeBrace);
  text.names.count = firstName;
  return at + 1;
}
