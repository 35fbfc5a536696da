// Case folding and word boundaries of UTF-16 code units, as in the regular expressions of the engine.

const unknown = 0;

/** By code unit: its folded code unit plus 1. */
const folded = new Uint32Array(0x10000);

/** By code unit: 1 outside of words, 2 inside. */
const inWord = new Uint8Array(0x10000);

const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

/** The code point that ends or begins at `index`. */
const pointAt = (text: string, index: number): string =>
  String.fromCodePoint(
    text.codePointAt(isLow(text.charCodeAt(index)) && index > 0 ? index - 1 : index) ?? 0,
  );

const isOneUnit = (text: string): boolean => text.length === 1;

/**
 * Simple case folding: two letters have the same result if they differ only in case. Letters whose other case has several
 * letters (`ß`) or depends on the language (dotless `ı`) stay unchanged.
 */
function foldLetter(letter: string): string {
  if (letter === '\u0131' || letter === '\u0130') return letter;
  const upper = letter.toUpperCase();
  const lower = (upper.length === letter.length ? upper : letter).toLowerCase();
  return lower.length === letter.length ? lower : letter;
}

/** The code unit at `index`, folded. Both cases of a letter have the same number of units, and the same first of two. */
export function foldedUnit(text: string, index: number): number {
  const unit = text.charCodeAt(index);
  if (isLow(unit)) return foldLetter(pointAt(text, index)).charCodeAt(1);
  const known = folded[unit]!;
  if (known !== unknown) return known - 1;
  const letter = String.fromCharCode(unit);
  const result = isOneUnit(foldLetter(letter)) ? foldLetter(letter).charCodeAt(0) : unit;
  folded[unit] = result + 1;
  return result;
}

const wordCharacter = /[\p{L}\p{N}]/u;

/** Whether the code unit at `index` belongs to a letter or a number. */
export function isInWord(text: string, index: number): boolean {
  const unit = text.charCodeAt(index);
  if (unit >= 0xd800 && unit <= 0xdfff) return wordCharacter.test(pointAt(text, index));
  if (inWord[unit] === unknown)
    inWord[unit] = wordCharacter.test(String.fromCharCode(unit)) ? 2 : 1;
  return inWord[unit] === 2;
}
