// Strings that readers and writers of text are known to change.

const range = (first: number, last: number): readonly number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

const isSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdfff;

export const lastCodePoint = 0x10ffff;

/** Of every code point but the surrogates, in their order. */
export const allCharacters = (): readonly string[] =>
  range(0, lastCodePoint)
    .filter((code) => !isSurrogate(code))
    .map((code) => String.fromCodePoint(code));

/** Controls, Latin, combining marks, separators, format characters, presentation forms, non-characters, ends of planes. */
export const oddCharacters: readonly string[] = [
  ...range(0, 0xff),
  ...range(0x300, 0x30f),
  ...range(0x1100, 0x1103),
  ...range(0x2000, 0x206f),
  0x2126,
  0x212a,
  0x212b,
  0xac00,
  0xd7ff,
  0xe000,
  0xfb01,
  ...range(0xfdd0, 0xfdef),
  ...range(0xfe00, 0xfe0f),
  ...range(0xfef0, 0xff0f),
  ...range(0xfff0, 0xffff),
  ...range(0, 16).flatMap((plane) => [plane * 0x10000 + 0xfffe, plane * 0x10000 + 0xffff]),
  0x10000,
  0x1f600,
].map((code) => String.fromCodePoint(code));

/** The character at the beginning, in the middle and at the end. */
export const around = (character: string): string => `${character}a${character}b${character}`;

/** Strings that are easily taken for others, or for something else than strings. */
export const oddStrings: readonly string[] = [
  ' ',
  'a ',
  ' a',
  'a',
  'A',
  'a\u0000',
  'a\u0000b',
  '\ufeff',
  '\ufeff\ufeff',
  '\ufeffa',
  '\u00e9',
  'e\u0301',
  '\u00c5',
  '\u212b',
  'k',
  'K',
  '\u212a',
  '\u00df',
  '\u1e9e',
  'ss',
  '\u0130',
  'i\u0307',
  '1',
  '1.0',
  '01',
  '1e3',
  '-0',
  'NaN',
  'null',
  'NULL',
  'true',
  '2024-01-01',
  '2024-01-01T00:00:00Z',
  '$',
  '$.a',
  'a.b',
  'a[0]',
  '[0]',
  '"',
  '""',
  "'",
  '\\',
  '\\"',
  '\\u0000',
  '*',
  '#',
  '#-1',
  '/',
  '~',
  '~0',
  '~1',
  '%',
  '_',
  '{}',
  '[]',
  '__proto__',
  'constructor',
  '\r',
  '\n',
  '\r\n',
  '\t',
  ',',
  ';',
  '-- a',
  '|',
  '=1+1',
  '😀',
  '👨‍👩‍👧',
  'x'.repeat(100_000),
];
