// LIKE, ILIKE and MATCH for patterns of any length, in time that is linear in the text and the pattern.
import { finderOf, type Finder, type Piece } from './finder.js';
import { foldedUnit, isInWord } from './letters.js';

export type PatternKind = 'like' | 'ilike' | 'match';

export type PatternTest = (text: string) => boolean;

/**
 * The texts between the wildcards of a LIKE or ILIKE pattern. `%` is the only wildcard; a backslash escapes it.
 */
export function piecesOf(pattern: string): readonly string[] {
  const pieces = [''];
  for (const part of pattern.split(/(\\%|%)/)) {
    if (part === '%') pieces.push('');
    else pieces[pieces.length - 1] += part === String.raw`\%` ? '%' : part;
  }
  return pieces;
}

/** A LIKE pattern without `%` matches the whole text, an ILIKE pattern without `%` matches anywhere. */
export function patternTest(kind: PatternKind, pattern: string): PatternTest {
  if (kind === 'match') return matchTest(pattern);
  const pieces = piecesOf(pattern);
  return kind === 'ilike' && pieces.length === 1
    ? piecesTest(['', ...pieces, ''], foldedUnit)
    : piecesTest(pieces, kind === 'ilike' ? foldedUnit : unitAt);
}

type SymbolAt = (text: string, index: number) => number;

const unitAt: SymbolAt = (text, index) => text.charCodeAt(index);

const symbolsOf = (text: string, symbolAt: SymbolAt): Piece =>
  Array.from({ length: text.length }, (_, index) => symbolAt(text, index));

function piecesTest(pieces: readonly string[], symbolAt: SymbolAt): PatternTest {
  const [first = [], ...rest] = pieces.map((piece) => symbolsOf(piece, symbolAt));
  const last = rest.pop();
  const standsAt = (text: string, piece: Piece, start: number) =>
    start >= 0 && piece.every((symbol, index) => symbolAt(text, start + index) === symbol);
  if (last === undefined) return (text) => text.length === first.length && standsAt(text, first, 0);
  const finders = rest.filter((piece) => piece.length > 0).map(finderOf);
  return (text) => {
    const end = text.length - last.length;
    return (
      first.length <= end &&
      standsAt(text, first, 0) &&
      standsAt(text, last, end) &&
      hasInOrder(finders, text, { start: first.length, end, symbolAt })
    );
  };
}

interface Range {
  readonly start: number;
  readonly end: number;
  readonly symbolAt: SymbolAt;
}

/** Matches each piece at its first occurrence, which leaves the most room for the pieces after it. */
function hasInOrder(
  finders: readonly (() => Finder)[],
  text: string,
  { start, end, symbolAt }: Range,
): boolean {
  let index = start;
  for (const finder of finders) {
    const { take } = finder();
    let isFound = false;
    while (!isFound && index < end) isFound = take(symbolAt(text, index++));
    if (!isFound) return false;
  }
  return true;
}

/** The symbol for a gap: everything before, between and after words. It is not a code unit. */
const gap = 0x10000;

/** Passes the folded words of a text, with gaps around them, to `take` until it returns true. */
function takesWords(text: string, take: Finder['take']): boolean {
  let isGap = true;
  if (take(gap)) return true;
  for (let index = 0; index < text.length; index += 1) {
    const isWord = isInWord(text, index);
    if ((isWord || !isGap) && take(isWord ? foldedUnit(text, index) : gap)) return true;
    isGap = !isWord;
  }
  return !isGap && take(gap);
}

/** Whether the words of the pattern occur next to each other, as whole words, in any case. */
function matchTest(pattern: string): PatternTest {
  const words: number[] = [];
  takesWords(pattern, (symbol) => {
    words.push(symbol);
    return false;
  });
  if (words.length <= 1) return () => false;
  const finder = finderOf(words);
  return (text) => takesWords(text, finder().take);
}
