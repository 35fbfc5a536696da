import { expect } from 'chai';
import * as fc from 'fast-check';
import { sql, type Sql } from '../../src/duckdb/sql.js';
import { foldedUnit, isInWord } from '../../src/text/letters.js';
import { patternTest, type PatternKind } from '../../src/text/pattern.js';
import { isIlike, isLike, isMatch } from '../fuzz/text.js';
import { sharedEngine } from '../query/fixture.js';
import { expectTime } from '../support/processor-time.js';

const expectations = { like: isLike, ilike: isIlike, match: isMatch } as const;

const kinds: readonly PatternKind[] = ['like', 'ilike', 'match'];

/** Few different characters, so that parts repeat and overlap. */
const texts = fc.string({
  unit: fc.constantFrom('a', 'A', 'b', ' ', 'é', 'É', '\u{10400}', '\u{10428}'),
});

const patterns = fc.string({
  unit: fc.constantFrom('a', 'A', 'b', '%', '%', String.raw`\%`, ' ', 'é', '\u{10428}'),
});

const fold = (text: string): string =>
  String.fromCharCode(...Array.from({ length: text.length }, (_, at) => foldedUnit(text, at)));

const scattered = (length: number) => '%a'.repeat(length / 2);

/** Each takes a time that grows with the product of text and pattern when the search begins anew at each character. */
const hostile: Readonly<Record<string, (text: number, pattern: number) => readonly string[]>> = {
  'like, many wildcards': (n, m) => ['like', 'ab'.repeat(n / 2), `${scattered(m)}c%`],
  'like, one long part': (n, m) => ['like', 'a'.repeat(n), `%${'a'.repeat(m)}b%`],
  'ilike, many wildcards': (n, m) => ['ilike', 'Ab'.repeat(n / 2), `${scattered(m)}c`],
  'ilike, one long part': (n, m) => ['ilike', 'A'.repeat(n), `${'a'.repeat(m)}b`],
  'match, many words': (n, m) => ['match', 'a '.repeat(n / 2), `${'a '.repeat(m / 2)}b`],
};

const search = ([kind, text = '', pattern = '']: readonly string[]) => {
  const test = patternTest(kind as PatternKind, pattern);
  return () => expect(test(text)).to.equal(false);
};

describe('patterns of any length', () => {
  for (const kind of kinds)
    it(`${kind} means what the model says`, () => {
      fc.assert(
        fc.property(texts, patterns, (text, pattern) => {
          expect(patternTest(kind, pattern)(text)).to.equal(expectations[kind](text, pattern));
        }),
        { numRuns: 2000 },
      );
    });

  for (const [name, inputs] of Object.entries(hostile))
    it(`${name}: the time does not grow with the product of text and pattern`, () => {
      const [short, long] = [inputs(1_000_000, 500), inputs(1_000_000, 8000)];
      expectTime(name, search(long), search(short), 5);
    });
});

/** Of those that a later Unicode has the engine knows nothing. */
const isKnown = (letter: Sql): Sql =>
  sql`regexp_full_match(${letter}, '[\\p{L}\\p{M}\\p{N}\\p{P}\\p{S}\\p{Z}\\p{C}]', 's')`;

describe('letters', () => {
  const engine = sharedEngine();

  const letters = Array.from({ length: 0x1e950 }, (_, code) => code)
    // Without most Chinese characters and Korean syllables, which have no cases.
    .filter(
      (code) => code > 0 && (code < 0x3400 || code > 0x9fff) && (code < 0xac00 || code > 0xdfff),
    )
    .map((code) => String.fromCodePoint(code));

  it('fold as the regular expressions of the engine do', async () => {
    const others = letters.flatMap((letter) =>
      [fold(letter), letter.toLowerCase(), letter.toUpperCase()]
        .filter((other) => other !== letter && Array.from(other).length === 1)
        .map((other) => ({ letter, other, isSame: fold(letter) === fold(other) })),
    );
    expect(others.length).to.be.greaterThan(2000);
    const wrong = await engine().all(sql`
      SELECT letter, other FROM (
        SELECT unnest(CAST(${others.map(({ letter }) => letter)} AS VARCHAR[])) AS letter,
          unnest(CAST(${others.map(({ other }) => other)} AS VARCHAR[])) AS other,
          unnest(CAST(${others.map(({ isSame }) => String(isSame))} AS VARCHAR[])) AS same)
      WHERE ${isKnown(sql`letter`)} AND ${isKnown(sql`other`)}
        AND regexp_full_match(letter, regexp_escape(other), 'i') <> CAST(same AS BOOLEAN)`);
    expect(wrong).to.deep.equal([]);
  });

  it('are in words where the engine says so', async () => {
    const inWords = letters.filter((letter) => isInWord(letter, 0));
    const found = await engine().all(sql`
      SELECT letter FROM (SELECT unnest(CAST(${letters} AS VARCHAR[])) AS letter)
      WHERE regexp_full_match(letter, '[\\p{L}\\p{N}]') OR NOT ${isKnown(sql`letter`)}`);
    const words = new Set(found.map(({ letter }) => letter));
    expect(inWords.filter((letter) => !words.has(letter))).to.deep.equal([]);
    const known = await engine().all(sql`
      SELECT letter FROM (SELECT unnest(CAST(${letters} AS VARCHAR[])) AS letter)
      WHERE regexp_full_match(letter, '[\\p{L}\\p{N}]')`);
    const ours = new Set(inWords);
    expect(known.filter(({ letter }) => !ours.has(String(letter)))).to.deep.equal([]);
  });
});
