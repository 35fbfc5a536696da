// Segments in which no row can pass a filter, since none has the path that it asks about.
import { expect } from 'chai';
import { sql, toStatement } from '../../src/duckdb/sql.js';
import { pathKey, type EventArm } from '../../src/schema/event-relation.js';
import { sharedEngine } from './fixture.js';
import { compile } from './golden-file.js';

const leaf = { number: 'leaf', string: null, boolean: null, elsewhere: null };

const arm = (name: string, complete: boolean, ...paths: readonly string[]): EventArm => ({
  name,
  rows: sql`${name}`,
  hasLossless: false,
  paths: {
    metadata: {
      leaves: new Map(paths.map((path) => [pathKey([path]), leaf])),
      textPaths: new Set([pathKey(['text'])]),
      complete,
    },
  },
});

const buffer: EventArm = { name: 'buffer', rows: sql`${'buffer'}`, hasLossless: true, paths: null };
const arms = [arm('a', true, 'a'), arm('both', true, 'a', 'b'), arm('open', false), buffer];

const readFor = (filter: string, shape = '') => {
  const query = `measures: max(id) as x | from: experiment('e') ${shape} | filter: ${filter}`;
  const { values } = toStatement(compile(query, { arms }).rows);
  return arms.map(({ name }) => name).filter((name) => values.includes(name));
};

const all = arms.map(({ name }) => name);
const withB = ['both', 'open', 'buffer'];

describe('segments without a path that a filter asks about', () => {
  for (const filter of [
    'metadata.b is not null',
    'metadata.b > 1',
    'metadata.b - 1 = metadata.b * 2',
    "metadata.b like 'x%'",
    'metadata.b in [1, 2]',
    'not metadata.b = 1',
    'not -metadata.b',
    'metadata.a = 1 and metadata.b = 1',
    'metadata.b = 1 or metadata.b is not null and id != 1',
    'metadata.b',
    'not metadata.b <=> null',
  ])
    it(`are not read for ${filter}`, () => expect(readFor(filter)).to.deep.equal(withB));

  for (const filter of [
    'metadata.b is null',
    'metadata.b <=> metadata.c',
    'metadata.a <=> metadata.b',
    'not metadata.b is not null',
    'metadata.a > 1 or metadata.b > 1',
    'metadata.text > 1',
    'coalesce(metadata.b, 1) = 1',
    'not (metadata.b = 1 and metadata.a = 1)',
    'metadata is not null',
    'id in [metadata.b]',
  ])
    it(`are read for ${filter}`, () => expect(readFor(filter)).to.deep.equal(all));

  it('are read when a filter is about traces', () =>
    expect(readFor('metadata.b > 1', 'traces')).to.deep.equal(all));

  describe('when there are no others', () => {
    const engine = sharedEngine();

    const answer = async (query: string) => {
      const { columns, valueRows } = compile(
        `${query} | from: experiment('e') | filter: metadata.b = 1`,
        { arms: arms.slice(0, 1) },
      );
      return (await engine().result(columns, valueRows)).map(({ text }) => text);
    };

    it('leave nothing', async () => {
      expect(await answer('measures: count(1) as n')).to.deep.equal(['{"n":0}']);
      expect(await answer('select: id, metadata.b, created')).to.deep.equal([]);
    });
  });
});
