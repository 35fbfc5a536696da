// Compacts strings of JSON text: replaces escapes that JSON.stringify would not print by their characters.
import { dropBytes, type Text } from './text.js';

const quote = 0x22;
const backslash = 0x5c;

/** The treatment of each escape by its letter; 0 for invalid ones. */
const stays = 1;
const solidus = 2;
const unicode = 3;

const escapes = new Uint8Array(256);
for (const letter of '"\\bfnrt') escapes[letter.charCodeAt(0)] = stays;
escapes['/'.charCodeAt(0)] = solidus;
escapes['u'.charCodeAt(0)] = unicode;

/** @param start the index of the byte after the opening quote */
export function compactString(text: Text, start: number): number {
  const { bytes } = text;
  let at = start;
  for (;;) {
    at = endOfRun(text, at);
    const byte = bytes[at];
    if (byte === quote) return at + 1;
    // Control characters are invalid. One follows the end, so the loop stops there.
    if (byte !== backslash) return ~at;
    const escape = escapes[bytes[at + 1]!];
    if (escape === stays) at += 2;
    else if (escape === solidus) {
      dropBytes(text, at, at + 1);
      at += 2;
    } else if (escape === unicode) {
      at = replaceEscape(text, at);
      if (at < 0) return at;
    } else return ~at;
  }
}

const highBits = 0x80808080;

/** The index of the next quote, backslash or control character. */
export function endOfRun(text: Text, start: number): number {
  const { view } = text;
  let at = start;
  let seen = 0;
  for (;;) {
    // Sets the highest bit of each byte that matches, and possibly of later ones. With its second bit flipped, the quote is
    // adjacent to the control characters.
    const four = view.getInt32(at, true);
    const low = (four ^ 0x02020202) - 0x21212121;
    const slashes = four ^ 0x5c5c5c5c;
    const found = ((low & ~four) | ((slashes - 0x01010101) & ~slashes)) & highBits;
    if (found !== 0) {
      const first = found & -found;
      text.wide |= (seen | (four & (first - 1))) & highBits;
      return at + ((31 - Math.clz32(first)) >> 3);
    }
    seen |= four;
    at += 4;
  }
}

const digits = new Int8Array(256).fill(-1);
for (let digit = 0; digit < 16; digit += 1) {
  digits[digit.toString(16).charCodeAt(0)] = digit;
  digits[digit.toString(16).toUpperCase().charCodeAt(0)] = digit;
}

/** The code of `\uXXXX` at `at`; negative for anything else. */
function codeOf(bytes: Buffer, at: number): number {
  if (bytes[at] !== backslash || bytes[at + 1] !== 0x75) return -1;
  const first = digits[bytes[at + 2]!]! | digits[bytes[at + 3]!]!;
  const last = digits[bytes[at + 4]!]! | digits[bytes[at + 5]!]!;
  if ((first | last) < 0) return -1;
  return (
    (digits[bytes[at + 2]!]! << 12) |
    (digits[bytes[at + 3]!]! << 8) |
    (digits[bytes[at + 4]!]! << 4) |
    digits[bytes[at + 5]!]!
  );
}

/** Writes the character of the escape or surrogate pair at `at`. Unpaired surrogates need the parser. */
function replaceEscape(text: Text, at: number): number {
  const code = codeOf(text.bytes, at);
  if (code < 0) return ~at;
  if (code < 0xd800 || code > 0xdfff) {
    dropBytes(text, at, at + 6);
    writeCharacter(text, code);
    return at + 6;
  }
  const low = codeOf(text.bytes, at + 6);
  if (code > 0xdbff || low < 0xdc00 || low > 0xdfff) return ~at;
  dropBytes(text, at, at + 12);
  writeCharacter(text, 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00));
  return at + 12;
}

/** What JSON.stringify prints for each ASCII character. */
const ascii = Array.from({ length: 0x80 }, (_, code) =>
  Buffer.from(JSON.stringify(String.fromCharCode(code)).slice(1, -1)),
);

function writeCharacter(text: Text, code: number): void {
  const { bytes } = text;
  let at = text.write;
  if (code < 0x80) {
    for (const byte of ascii[code]!) bytes[at++] = byte;
    text.write = at;
    return;
  }
  text.wide = 1;
  if (code < 0x800) bytes[at++] = 0xc0 | (code >> 6);
  else {
    if (code < 0x10000) bytes[at++] = 0xe0 | (code >> 12);
    else {
      bytes[at++] = 0xf0 | (code >> 18);
      bytes[at++] = 0x80 | ((code >> 12) & 0x3f);
    }
    bytes[at++] = 0x80 | ((code >> 6) & 0x3f);
  }
  bytes[at++] = 0x80 | (code & 0x3f);
  text.write = at;
}
