// Segments whose rows are expected to be like those of others: what is known of their paths has to be the same.
import { expect } from 'chai';
import * as fc from 'fast-check';
import { toStatement, type Sql } from '../../src/duckdb/sql.js';
import type { SegmentPaths } from '../../src/schema/event-relation.js';
import { openSegments, rowsOf, type TestSegments } from '../support/open-segments.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const key = fc.constantFrom('a', 'b', 'A', 'x.y', '"', '*', '', '~', 'é');

const leaf = fc.constantFrom<unknown>(
  1,
  0.5,
  1e300,
  2 ** 53,
  '',
  'text',
  'é'.repeat(128),
  't'.repeat(255),
  't'.repeat(256),
  true,
  null,
  [],
  [{ a: 1 }],
  {},
);

const { value } = fc.letrec<{ value: unknown; object: object }>((tie) => ({
  value: fc.oneof({ weight: 3, arbitrary: leaf }, tie('object')),
  object: fc.dictionary(key, tie('value'), { maxKeys: 3 }),
}));

const fields = fc.record(
  { metadata: fc.dictionary(key, value, { maxKeys: 4 }), input: value, output: value },
  { requiredKeys: [] },
);

const batches = fc.array(fields, { minLength: 1, maxLength: 6 });

describe('segments that are expected to be like others', () => {
  const directory = temporaryDirectory();
  let segments: TestSegments;
  beforeEach(async () => {
    segments = await openSegments(directory());
  });
  afterEach(() => segments.close());

  const pathsOf = async (events: readonly object[], ...alike: readonly SegmentPaths[]) => {
    const rows = rowsOf('a', JSON.stringify(events));
    return (await segments.write([{ xactId: 1n, rows }], { alike })).paths;
  };

  it('have the paths that they have without', async () => {
    const property = fc.asyncProperty(batches, batches, async (first, second) => {
      const alike = await pathsOf(first);
      const both = [...first, ...second];
      expect(await pathsOf(first, alike)).to.deep.equal(alike);
      expect(await pathsOf(second, alike)).to.deep.equal(await pathsOf(second));
      const joined = await pathsOf(both);
      expect(await pathsOf(both, alike, await pathsOf(second))).to.deep.equal(joined);
      expect(await pathsOf(first, joined)).to.deep.equal(alike);
    });
    await fc.assert(property, { numRuns: 10 });
  });

  const steady = [{ metadata: { a: 1, b: { c: 'x', d: [1] } } }, { metadata: { a: 'y', b: {} } }];
  const others: Readonly<Record<string, object>> = {
    'a key beside them': { a: 1, e: 1 },
    'a key beside them that is null': { a: 1, e: null },
    'a key within one': { b: { c: 'x', e: 1 } },
    'an object for a scalar': { a: { e: 1 } },
    'an object within an object for a scalar': { b: { c: { e: 1 } } },
  };
  for (const [what, metadata] of Object.entries(others))
    it(`list ${what} when it was not expected`, async () => {
      const alike = await pathsOf(steady);
      const events = [...steady, { metadata }];
      const found = await pathsOf(events, alike);
      expect(found).to.deep.equal(await pathsOf(events));
      expect(found).to.not.deep.equal(alike);
    });

  it('are not searched for other paths when those that are expected are all', async () => {
    const alike = await pathsOf(steady);
    const statements: string[] = [];
    const { connection } = segments;
    const read = connection.read.bind(connection);
    connection.read = (query: Sql) => {
      statements.push(toStatement(query).text);
      return read(query);
    };
    await pathsOf(steady, alike);
    expect(statements.filter((text) => text.includes('json_structure'))).to.deep.equal([]);
    await pathsOf(steady);
    expect(statements.filter((text) => text.includes('json_structure'))).to.not.deep.equal([]);
  });
});
