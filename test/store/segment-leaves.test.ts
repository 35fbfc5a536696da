// Whatever JSON the rows hold: leaf columns, together with the text where they say so, give every value back.
import * as fc from 'fast-check';
import { expect } from 'chai';
import type { Row } from '../../src/duckdb/rows.js';
import { parseJson } from '../../src/json/parse.js';
import { stringifyJson } from '../../src/json/stringify.js';
import type { JsonValue } from '../../src/json/json.js';
import { doubleHolds, isJsonObject, membersOf } from '../../src/json/tree.js';
import type { JsonColumn } from '../../src/schema/event-columns.js';
import {
  pathStorage,
  type LeafColumns,
  type SegmentPaths,
} from '../../src/schema/event-relation.js';
import { listedColumns } from '../../src/store/segment/leaf-selection.js';
import type { SegmentFacts } from '../../src/store/segment/segment-facts.js';
import { openSegments, rowsOf, type TestSegments } from '../support/open-segments.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

interface Path {
  readonly column: JsonColumn;
  readonly steps: readonly string[];
}

/** The JSON text of every value of a row that keys alone lead to, by column and steps. */
function valuesOf(row: Row): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  const walk = (column: JsonColumn, steps: readonly string[], value: JsonValue): void => {
    if (steps.length > 0 && value !== null)
      values.set(JSON.stringify({ column, steps }), stringifyJson(value));
    if (isJsonObject(value))
      for (const [key, part] of membersOf(value)) walk(column, [...steps, key], part);
  };
  for (const column of listedColumns) {
    const text = row[column];
    if (typeof text === 'string') walk(column, [], parseJson(text));
  }
  return values;
}

/** The JSON text that the leaf columns give; undefined when it has to be read from the row's text. */
function leafText(row: Row, leaf: LeafColumns): string | null | undefined {
  const held = [leaf.number, leaf.string, leaf.boolean]
    .flatMap((name) => (name === null ? [] : [row[name]]))
    .filter((value) => value !== null);
  expect(held.length).to.be.lessThan(2);
  const elsewhere = leaf.elsewhere !== null && row[leaf.elsewhere] === true;
  if (!elsewhere) return held.length === 0 ? null : JSON.stringify(held[0]);
  expect(held).to.deep.equal([]);
  return undefined;
}

const isSame = (leaf: string | null, text: string | null): boolean =>
  leaf === text ||
  (leaf !== null &&
    text !== null &&
    /^[-\d]/.test(text) &&
    doubleHolds(text) &&
    Object.is(Number(leaf), Number(text)));

interface Counts {
  leaf: number;
  elsewhere: number;
  text: number;
}

/** Checks every path of the rows and every listed path; returns from where values came. */
function checkPaths(rows: readonly Row[], paths: SegmentPaths): Counts {
  const counts = { leaf: 0, elsewhere: 0, text: 0 };
  const values = rows.map(valuesOf);
  const all = new Set(values.flatMap((of) => [...of.keys()]));
  for (const column of listedColumns)
    for (const key of paths[column]?.leaves.keys() ?? [])
      all.add(JSON.stringify({ column, steps: JSON.parse(key) as string[] }));
  for (const path of all) {
    const { column, steps } = JSON.parse(path) as Path;
    const storage = pathStorage(paths, column, steps);
    expect(storage, `${path} occurs`).not.to.equal('absent');
    if (storage === 'text') counts.text++;
    if (typeof storage === 'string') continue;
    for (const [index, row] of rows.entries()) {
      const text = values[index]?.get(path) ?? null;
      const leaf = leafText(row, storage);
      if (leaf === undefined) expect(text, `${path} elsewhere`).not.to.equal(null);
      else expect(isSame(leaf, text), `${path}: leaf ${leaf}, text ${text}`).to.equal(true);
      if (text !== null) counts[leaf === undefined ? 'elsewhere' : 'leaf']++;
    }
  }
  return counts;
}

function checkAbsent(facts: SegmentFacts, column: JsonColumn, ...keys: readonly string[]): void {
  for (const key of keys) expect(pathStorage(facts.paths, column, [key]), key).to.equal('absent');
}

const longKey = 'k'.repeat(10_000);

const keys = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('a', 'A', 'b', 'model', 'x') },
  fc.constantFrom('', '*', '.', 'a.b', '"', '\\', "'", ' ', '/', 'a/b', '[0]', '0', '10', '$', '#'),
  fc.constantFrom('😀', 'É', 'é', '\n', '\u0000', 'a\u0000', '__proto__', 'null', longKey),
  fc.string({ unit: 'binary', maxLength: 5 }),
);

const numbers = fc.oneof(
  fc.constantFrom('0', '-0', '1', '1.0', '1.10', '1e2', '1e400', '-1e400', '1e-400', '5e-324'),
  fc.constantFrom('9007199254740991', '9007199254740992', '9007199254740993', '-9007199254740993'),
  fc.constantFrom('18446744073709551616', '123456789012345678901234567890', '1e22', '1e21'),
  fc.constantFrom('0.123456789012345678901234567891', '0.1', '0.30000000000000004', '1.5e300'),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  fc.integer().map(String),
);

const strings = fc
  .oneof(
    fc.constantFrom(
      '',
      'null',
      'true',
      '1',
      '{',
      '[',
      '"',
      '""',
      '"a"',
      '\\',
      '\\"',
      '\n',
      '\u0000',
    ),
    fc.integer({ min: 250, max: 262 }).map((length) => 's'.repeat(length)),
    fc.constantFrom('é'.repeat(128), '\n'.repeat(200), '😀'.repeat(63), ' "x" ', '-0', '1e400'),
    fc.string({ unit: 'binary', maxLength: 12 }),
  )
  .map((value) => JSON.stringify(value));

const scalars = fc.oneof(
  { weight: 4, arbitrary: numbers },
  { weight: 4, arbitrary: strings },
  fc.constantFrom('true', 'false', 'null'),
);

const documents = fc.letrec<{ value: string; object: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'document' },
    scalars,
    tie('object'),
    fc
      .array(tie('value'), { maxLength: 3, depthIdentifier: 'document' })
      .map((items) => `[${items.join()}]`),
  ),
  object: fc
    .uniqueArray(fc.tuple(keys, tie('value')), {
      maxLength: 6,
      selector: ([key]) => key,
      depthIdentifier: 'document',
    })
    .map(
      (members) => `{${members.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join()}}`,
    ),
}));

const events = fc
  .record({ metadata: documents.object, input: documents.value, context: documents.object })
  .map(
    ({ metadata, input, context }) =>
      `{"metadata":${metadata},"input":${input},"context":${context}}`,
  );

describe('leaf columns of a segment', () => {
  const directory = temporaryDirectory();
  let segments: TestSegments;
  beforeEach(async () => {
    segments = await openSegments(directory());
  });
  afterEach(() => segments.close());

  const written = async (...list: readonly string[]) => {
    const rows = rowsOf('e', `[${list.join()}]`);
    const facts = await segments.write([{ xactId: 1n, rows }]);
    return { facts, counts: checkPaths(await segments.read(), facts.paths) };
  };

  it('give back every value of random documents', async () => {
    const sum: Counts = { leaf: 0, elsewhere: 0, text: 0 };
    const property = fc.asyncProperty(
      fc.array(events, { minLength: 1, maxLength: 12 }),
      async (list) => {
        const { counts } = await written(...list);
        sum.leaf += counts.leaf;
        sum.elsewhere += counts.elsewhere;
        sum.text += counts.text;
      },
    );
    await fc.assert(property, { numRuns: 25 });
    expect(sum.leaf).to.be.greaterThan(200);
    expect(sum.elsewhere).to.be.greaterThan(15);
    expect(sum.text).to.be.greaterThan(15);
  });

  it('hold what is short and exact, and mark the rest', async () => {
    const values = [
      '1',
      '1e22',
      '9007199254740992',
      '1e400',
      '123456789012345678901234567890',
      '"s"',
      'true',
      '{"b":1}',
      '[1]',
    ];
    const { facts, counts } = await written(
      ...[...values, '2', '3', '4', '5', '"t"', 'null'].map(
        (value) => `{"metadata":{"a":${value}}}`,
      ),
      `{"metadata":{"a":"${'x'.repeat(256)}"}}`,
    );
    expect(facts.paths.metadata?.leaves.get('["a"]')).to.deep.equal({
      number: 'metadata/a',
      string: 'metadata/a~2',
      boolean: 'metadata/a~3',
      elsewhere: 'metadata/a~elsewhere',
    });
    expect(counts).to.deep.equal({ leaf: 9, elsewhere: 7, text: 0 });
    checkAbsent(facts, 'metadata', 'A', 'b', '');
  });

  it('are named apart when keys differ by case or by where a slash stands', async () => {
    const { facts } = await written('{"metadata":{"a":1,"A":2,"b/c":3,"b":{"c":4}}}');
    const names = Array.from(facts.paths.metadata?.leaves.values() ?? [], ({ number }) => number);
    expect(names).to.have.members(['metadata/A', 'metadata/a~2', 'metadata/b/c', 'metadata/b/c~2']);
  });

  it('are made for integer-like keys and for rows that hold long numbers elsewhere', async () => {
    const { counts } = await written(
      '{"metadata":{"b":1,"10":2}}',
      '{"metadata":{"b":1.5},"input":1e400}',
    );
    expect(counts).to.deep.equal({ leaf: 3, elsewhere: 0, text: 0 });
  });

  it('are not made for long keys, the empty key and *, which are listed', async () => {
    const text = `{"metadata":{"${longKey}":1,"":{"a":2},"*":3}}`;
    const { facts } = await written(text);
    expect(facts.paths.metadata?.leaves.size).to.equal(0);
    expect([...(facts.paths.metadata?.textPaths ?? [])]).to.have.members([
      JSON.stringify([longKey]),
      '[""]',
      '["","a"]',
      '["*"]',
    ]);
  });

  it('stay few for 10,000 distinct keys, of which the most frequent get them', async () => {
    const list = Array.from({ length: 500 }, (_, row) => {
      const own = Array.from({ length: 20 }, (__, index) => `"key ${row * 20 + index}":${index}`);
      return `{"metadata":{"model":"m",${own.join()}}}`;
    });
    const { facts } = await written(...list);
    expect(facts.paths.metadata?.complete).to.equal(false);
    expect(facts.paths.metadata?.leaves.get('["model"]')?.string).to.equal('metadata/model');
    expect(facts.paths.metadata?.leaves.size).to.equal(150);
    expect(facts.paths.metadata?.textPaths.size).to.be.lessThan(2_000);
    expect(facts.paths.context?.complete).to.equal(true);
  }).timeout(60_000);

  it('are made of input only where most rows have the path and its values are short', async () => {
    const regular = Array.from(
      { length: 9 },
      (_, row) => `{"input":{"n":${row},"text":"${'t'.repeat(400)}"}}`,
    );
    const { facts } = await written(...regular, '{"input":{"rare":1}}', '{"input":"text"}');
    expect([...(facts.paths.input?.leaves.keys() ?? [])]).to.deep.equal(['["n"]']);
    expect([...(facts.paths.input?.textPaths ?? [])]).to.have.members(['["text"]', '["rare"]']);
  });

  it('take objects that are nested 500 deep', async () => {
    const deep = `${'{"a":'.repeat(500)}1${'}'.repeat(500)}`;
    const { facts } = await written(`{"metadata":${deep}}`);
    expect(facts.paths.metadata?.complete).to.equal(false);
  });
});
