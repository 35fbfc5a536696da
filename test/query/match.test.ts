import { expect } from 'chai';
import * as fc from 'fast-check';
import { sql } from '../../src/duckdb/sql.js';
import { isMatch } from '../fuzz/text.js';
import { oneBranch, sharedEngine } from './fixture.js';
import { compile } from './golden-file.js';

type Json = string | readonly Json[] | { readonly [name: string]: Json };

/** What escapes in JSON text are made of, and what they stand for. */
const strings = fc.string({
  unit: fc.constantFrom(...Array.from('abnrtuf019 é"\\/\n\t\u0001\u007f')),
  maxLength: 8,
});

const json = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2 },
    strings,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(strings, tie('value'), { maxKeys: 2, noNullPrototype: true }),
  ),
})).value;

/** As JSON text, but without escapes. */
const shown = (value: Json): string =>
  typeof value === 'string'
    ? `"${value}"`
    : Array.isArray(value)
      ? `[${value.map(shown).join()}]`
      : `{${Object.entries(value)
          .map(([name, member]) => `"${name}":${shown(member)}`)
          .join()}}`;

const quoted = (text: string) => `'${text.replaceAll(/['\\]/g, String.raw`\$&`)}'`;

const patterns = fc.oneof(
  strings,
  fc.constantFrom('a b', 'n', 'na', 'u0001', 'b a n', 'a b n r t', '0 1'),
);

describe('match', () => {
  const engine = sharedEngine();

  /** What several ways to search for the words say about each value. */
  async function answers(values: readonly Json[], pattern: string): Promise<readonly unknown[]> {
    const texts = values.map((value) => JSON.stringify(value));
    const rows = sql`(SELECT event.* REPLACE (place AS _position, text AS "input", concat('{"v":', text, '}') AS metadata)
      FROM event, (SELECT unnest(range(${BigInt(texts.length)})) AS place, unnest(CAST(${texts} AS VARCHAR[])) AS text) WHERE id = 'r6')`;
    const words = quoted(pattern);
    const ways = [
      `input match ${words}`,
      `search(${words})`,
      `metadata.v match ${words}`,
      `coalesce(input, output) match ${words}`,
      `input match concat(${words}, '')`,
      `input match [${words}]`,
    ].map((way, index) => `${way} as c${index}`);
    const query = `select: ${ways.join(', ')} | from: project_logs('p1') | sort: _pagination_key`;
    const compiled = compile(query, { branches: [{ ...oneBranch.branches[0]!, rows }] });
    const found = await engine().result(compiled.columns, compiled.valueRows);
    return found.map(({ text }) => Object.values(JSON.parse(text) as object));
  }

  async function check(values: readonly Json[], pattern: string): Promise<void> {
    const expected = values.map((value) => {
      const isFound = isMatch(typeof value === 'string' ? value : shown(value), pattern);
      const isSearched = isFound || isMatch(shown({ v: value }), pattern);
      return [isFound, isSearched, isFound, isFound, isFound, isFound];
    });
    expect(await answers(values, pattern), pattern).to.deep.equal(expected);
  }

  it('finds words beside escapes inside arrays and objects', async () => {
    const texts = [
      'Hello\nWorld',
      'Hello\tWorld',
      'Hello\u001fWorld',
      '"Hello" "World"',
      String.raw`C:\Hello\World\new`,
    ];
    const values = texts.flatMap((text) => [text, [text], [{ role: 'user', content: text }]]);
    for (const pattern of ['World', 'hello world', 'nWorld', 'u001f', 'new', 'ew'])
      await check(values, pattern);
  });

  it('finds the words that values have without escapes', async () => {
    const values = fc.array(json, { minLength: 1, maxLength: 40 });
    await fc.assert(fc.asyncProperty(values, patterns, check), { numRuns: 20 });
  });
});

describe('like', () => {
  const engine = sharedEngine();

  it('tries no place of a part twice, so 2 KB of text do not exceed the time of a query', async () => {
    const text = JSON.stringify('a'.repeat(2000));
    const rows = sql`(SELECT event.* REPLACE (${text} AS "input") FROM event WHERE id = 'r6')`;
    const tests = ['%a%a%a%a%c%', '%a%a%a%a%', 'a%a%a%a%c', '%aa%a_', 'c%a%a'].map(
      (pattern, index) =>
        `input like '${pattern}' as c${index}, input ilike '${pattern}' as i${index}`,
    );
    const query = `select: ${tests.join(', ')} | from: project_logs('p1')`;
    const compiled = compile(query, { branches: [{ ...oneBranch.branches[0]!, rows }] });
    const [found] = await engine().result(compiled.columns, compiled.valueRows);
    expect(Object.values(JSON.parse(found!.text) as object)).to.deep.equal(
      [false, true, false, false, false].flatMap((isLike) => [isLike, isLike]),
    );
  });
});
