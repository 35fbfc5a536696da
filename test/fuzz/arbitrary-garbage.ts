// Query texts and request bodies that were valid before something happened to them.
import * as fc from 'fast-check';
import { assertNever } from '../../src/errors.js';
import { query as validQuery } from './arbitrary-query.js';
import { queryText } from './query.js';

/** In every text that could do harm, so that it can be found again. */
export const marker = 'zqxmark';

const harmful = [
  `'; DROP TABLE ${marker}; --`,
  `"; SELECT ${marker} --`,
  `') UNION SELECT ${marker} FROM segment --`,
  `/* ${marker} */`,
  `-- ${marker}\n`,
  `"${marker}"`,
  `'${marker}'`,
  `."${marker}""."`,
  `['${marker}'']`,
  `$1 ${marker}`,
  `read_parquet('${marker}')`,
  ` as "${marker}"`,
  `E'${marker}'`,
  `$$${marker}$$`,
];

const tokens = [
  ...(["'", '"', '`', '\\', "\\'", '(', ')', '[', ']', '{', '}', ',', '.', ':', '|'] as const),
  ...(['?', '%', '-', '--', '/*', '*', ';', '=', '==', '!', '<>', '<=>', '||', '&&', '@'] as const),
  ...(['and', 'or', 'not', 'is', 'null', 'in', 'like', 'includes', 'match', 'interval'] as const),
  ...(['select:', 'from:', 'filter:', 'sort:', 'limit:', 'limit: -1', 'sample: 50%'] as const),
  ...(['pivot:', 'unpivot: tags as t', 'cursor: "x"', 'preview_length: 3', 'desc', 'as'] as const),
  ...(['count(*)', 'sum(', 'percentile(scores, 2)', 'now()', 'summary', 'traces'] as const),
  ...(['1e999', '-1e999', '99999999999999999999', '1.', '.5', '0x1', '1e', '50%'] as const),
  ...(['\u0000', '\ud800', '\u202e', '\ufeff', '\u2028', '😀', 'é', 'ﬀ', '\u0301', '\t'] as const),
  `1${'0'.repeat(400)}`,
  'x'.repeat(3000),
  'interval 99999999999 year',
  'interval 1e30 day',
  "'2024-01-01' + interval 9223372036854775807 microsecond",
  "date_trunc('century', created)",
  "json_extract(metadata, '$.*')",
  "json_extract(metadata, 'a[')",
  'metadata[99999999999999999999]',
  'metadata[-99999999999]',
  "id match '((((('",
  "id like '%\\'",
  "id ilike '[(*+?\\'",
  'round(1.5, 400)',
  'round(1.5, -400)',
  ...harmful,
];

interface Mutation {
  readonly kind: 'delete' | 'repeat' | 'swap' | 'insert' | 'replace' | 'cut' | 'wrap';
  readonly at: number;
  readonly text: string;
  readonly times: number;
}

const mutation: fc.Arbitrary<Mutation> = fc.record({
  kind: fc.constantFrom(
    ...(['delete', 'repeat', 'swap', 'insert', 'replace', 'insert', 'cut', 'wrap'] as const),
  ),
  at: fc.nat(200),
  text: fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...tokens) },
    { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 6 }) },
  ),
  times: fc.oneof(
    { weight: 9, arbitrary: fc.integer({ min: 1, max: 3 }) },
    { weight: 1, arbitrary: fc.constantFrom(30, 120, 700) },
  ),
});

const tokenPattern =
  /'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*"|[\p{L}_][\p{L}\p{N}_]*|\d+|\s+|./gsu;

function mutate(parts: readonly string[], { kind, at, text, times }: Mutation): readonly string[] {
  const place = parts.length === 0 ? 0 : at % parts.length;
  const here = parts[place] ?? '';
  const next = parts[place + 1] ?? '';
  switch (kind) {
    case 'delete':
      return parts.toSpliced(place, times);
    case 'repeat':
      return parts.toSpliced(place, 0, ...Array.from({ length: times }, () => here));
    case 'swap':
      return parts.toSpliced(place, 2, next, here);
    case 'insert':
      return parts.toSpliced(place, 0, text);
    case 'replace':
      return parts.toSpliced(place, 1, text);
    case 'cut':
      return parts.slice(0, place);
    case 'wrap':
      return parts.toSpliced(place, 1, wrapped(here, text, times));
    default:
      return assertNever(kind);
  }
}

const wrappers: readonly (readonly [string, string])[] = [
  ['(', ')'],
  ['[', ']'],
  ['{a:', '}'],
  ['not ', ''],
  ['-', ''],
  ['coalesce(', ', 1)'],
  ['true ? ', ' : 1'],
];

function wrapped(inner: string, text: string, times: number): string {
  const [before, after] = wrappers[text.length % wrappers.length] ?? ['', ''];
  return before.repeat(times) + inner + after.repeat(times);
}

const extremes = [
  ...([
    '1e308',
    '-1e308',
    '1e-320',
    '9223372036854775807',
    '99999999999999999999',
    '1e999',
  ] as const),
  ...([
    "'0001-01-01'",
    "'9999-12-31T23:59:59.999999Z'",
    "'2024-01-01T24:00:00Z'",
    'now()',
  ] as const),
  ...(['created', 'metadata.big', 'metadata', 'tags', 'null', '[]', '{}', "''", "'\\'"] as const),
  ...(['interval 290000 year', 'interval 1000000000 month', 'interval 0 day'] as const),
  ...(['experiment_id', '_xact_id', 'org_id', 'is_root', 'metadata[-1]', 'tags[0].x'] as const),
];

const operations: readonly (readonly [string, string, string])[] = [
  ...(['+', '-', '*', '/', '%', '=', '<', 'and', 'like', 'match', 'includes'] as const).map(
    (op) => ['(', ` ${op} `, ')'] as const,
  ),
  ...(['round', 'coalesce', 'nullif', 'least', 'concat', 'contains', 'greatest'] as const).map(
    (name) => [`${name}(`, ', ', ')'] as const,
  ),
  ...(['floor', 'abs', 'to_integer', 'to_string', 'to_date', 'year', 'week', 'len'] as const).map(
    (name) => [`${name}(`, ' - ', ')'] as const,
  ),
  ['(', ' in [', '])'],
  ['(true ? ', ' : ', ')'],
  ['json_extract(concat(', ', ', "), 'a[0]')"],
];

/** Sound of grammar, at the edges of what can be calculated. */
const extreme: fc.Arbitrary<string> = fc.letrec<{ text: string }>((tie) => ({
  text: fc.oneof(
    { maxDepth: 3, depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(...extremes),
    fc
      .tuple(fc.constantFrom(...operations), tie('text'), tie('text'))
      .map(([[before, between, after], left, right]) => before + left + between + right + after),
  ),
})).text;

const places: readonly ((text: string) => string)[] = [
  (text) => `select: ${text} as x`,
  (text) => `select: id | filter: ${text}`,
  (text) => `select: id | sort: ${text} desc`,
  (text) => `dimensions: ${text} as x | measures: count(*) as n`,
  (text) =>
    `measures: sum(${text}), max(${text}), count_distinct(${text}), percentile(${text}, 0.5)`,
];

/** The text of a query that says odd things in the right form. */
export const extremeQuery = (source: string): fc.Arbitrary<string> =>
  fc
    .tuple(extreme, fc.constantFrom(...places))
    .map(([text, place]) => `${place(text)} | from: ${source}`);

/** The text of a query of these sources, mostly no longer valid. */
export const garbageQuery = (source: string): fc.Arbitrary<string> =>
  fc
    .tuple(validQuery, fc.array(mutation, { minLength: 1, maxLength: 4 }))
    .map(([query, mutations]) =>
      mutations.reduce(mutate, queryText(query, source).match(tokenPattern) ?? []).join(''),
    );

const wrongValue = fc.oneof(
  fc.constantFrom<unknown>(null, true, 0, -1, 1.5, 1e300, '', 'parquet', 'xml', [], {}, [1], '480'),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map(Number),
);

const bodyFields = (source: string) =>
  fc.record(
    {
      query: fc.oneof(
        { weight: 6, arbitrary: validQuery.map((query) => queryText(query, source)) },
        { weight: 1, arbitrary: wrongValue },
      ),
      fmt: fc.oneof(fc.constantFrom('json', 'jsonl', 'csv', 'parquet', 'arrow'), wrongValue),
      tz_offset: fc.oneof(fc.integer({ min: -900, max: 900 }), wrongValue),
      version: fc.oneof(fc.constantFrom('1000192656880881099', '81cd05ee665fdfb3'), wrongValue),
      use_columnstore: fc.oneof(fc.boolean(), wrongValue),
      [marker]: wrongValue,
    },
    { requiredKeys: [] },
  );

/** The text of a body, mostly no longer valid. */
export const garbageBody = (source: string): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.oneof(
        { weight: 9, arbitrary: bodyFields(source).map((body) => JSON.stringify(body)) },
        {
          weight: 1,
          arbitrary: fc.oneof(wrongValue, fc.jsonValue()).map((value) => JSON.stringify(value)),
        },
      ),
      fc.array(mutation, { maxLength: 2 }),
    )
    .map(([body, mutations]) => mutations.reduce(mutate, body.match(tokenPattern) ?? []).join(''));
