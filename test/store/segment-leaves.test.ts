// Whatever JSON the rows hold: leaf columns, together with the text where they say so, give every value back.
import * as fc from 'fast-check';
import { expect } from 'chai';
import type { JsonColumn } from '../../src/schema/event-columns.js';
import { pathStorage } from '../../src/schema/event-relation.js';
import type { SegmentStats } from '../../src/store/segment/segment.js';
import { eventTexts, longKey } from '../support/documents.js';
import { checkPaths, type Counts } from '../support/leaf-values.js';
import { rowsOf, segmentsIn } from '../support/open-segments.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

function checkAbsent(stats: SegmentStats, column: JsonColumn, ...keys: readonly string[]): void {
  for (const key of keys) expect(pathStorage(stats.paths, column, [key]), key).to.equal('absent');
}

describe('leaf columns of a segment', () => {
  const directory = temporaryDirectory();
  const segments = segmentsIn(directory);

  const written = async (...list: readonly string[]) => {
    const rows = rowsOf('e', `[${list.join()}]`);
    const stats = await segments().write([{ xactId: 1n, rows }]);
    return { stats, counts: checkPaths(await segments().read(), stats.paths) };
  };

  it('give back every value of random documents', async () => {
    const sum: Counts = { leaf: 0, elsewhere: 0, text: 0 };
    const property = fc.asyncProperty(
      fc.array(eventTexts, { minLength: 1, maxLength: 12 }),
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
    const { stats, counts } = await written(
      ...[...values, '2', '3', '4', '5', '"t"', 'null'].map(
        (value) => `{"metadata":{"a":${value}}}`,
      ),
      `{"metadata":{"a":"${'x'.repeat(256)}"}}`,
    );
    expect(stats.paths.metadata?.leaves.get('["a"]')).to.deep.equal({
      number: 'metadata/a',
      string: 'metadata/a~2',
      boolean: 'metadata/a~3',
      elsewhere: 'metadata/a~elsewhere',
    });
    expect(counts).to.deep.equal({ leaf: 9, elsewhere: 7, text: 0 });
    checkAbsent(stats, 'metadata', 'A', 'b', '');
  });

  it('are named apart when keys differ by case or by where a slash stands', async () => {
    const { stats } = await written('{"metadata":{"a":1,"A":2,"b/c":3,"b":{"c":4}}}');
    const names = Array.from(stats.paths.metadata?.leaves.values() ?? [], ({ number }) => number);
    expect(names).to.have.members(['metadata/A', 'metadata/a~2', 'metadata/b/c', 'metadata/b/c~2']);
  });

  it('are made for integer-like keys and for rows that hold long numbers elsewhere', async () => {
    const { counts } = await written(
      '{"metadata":{"b":1,"10":2}}',
      '{"metadata":{"b":1.5},"input":1e400}',
    );
    expect(counts).to.deep.equal({ leaf: 3, elsewhere: 0, text: 0 });
  });

  it('hold the exact numbers of rows with numbers that no double holds', async () => {
    const { stats, counts } = await written(
      '{"scores":{"a":0.30000000000000004,"b":0.7000000000000001},"metadata":{"big":9007199254740993,"n":1,"x":0.25}}',
      '{"scores":{"a":0.7000000000000001,"b":0.12345678901234567890},"metadata":{"n":2,"x":0.10000000000000000001}}',
      '{"scores":{"a":1,"b":0.30000000000000004},"metadata":{"n":9007199254740992,"x":0.30000000000000004}}',
    );
    expect(stats.paths.scores?.leaves.get('["a"]')).to.have.property('elsewhere', null);
    expect(stats.paths.scores?.leaves.get('["b"]')?.elsewhere).to.be.a('string');
    expect(counts).to.deep.equal({ leaf: 9, elsewhere: 3, text: 1 });
  });

  it('are not made for long keys, the empty key and *, which are listed', async () => {
    const text = `{"metadata":{"${longKey}":1,"":{"a":2},"*":3}}`;
    const { stats } = await written(text);
    expect(stats.paths.metadata?.leaves.size).to.equal(0);
    expect([...(stats.paths.metadata?.textPaths ?? [])]).to.have.members([
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
    const { stats } = await written(...list);
    expect(stats.paths.metadata?.complete).to.equal(false);
    expect(stats.paths.metadata?.leaves.get('["model"]')?.string).to.equal('metadata/model');
    expect(stats.paths.metadata?.leaves.size).to.equal(150);
    expect(stats.paths.metadata?.textPaths.size).to.be.lessThan(2_000);
    expect(stats.paths.context?.complete).to.equal(true);
  });

  it('are made of input only where most rows have the path and its values are short', async () => {
    const regular = Array.from(
      { length: 9 },
      (_, row) => `{"input":{"n":${row},"text":"${'t'.repeat(400)}"}}`,
    );
    const { stats } = await written(...regular, '{"input":{"rare":1}}', '{"input":"text"}');
    expect([...(stats.paths.input?.leaves.keys() ?? [])]).to.deep.equal(['["n"]']);
    expect([...(stats.paths.input?.textPaths ?? [])]).to.have.members(['["text"]', '["rare"]']);
  });

  it('take objects that are nested 500 deep', async () => {
    const deep = `${'{"a":'.repeat(500)}1${'}'.repeat(500)}`;
    const { stats } = await written(`{"metadata":${deep}}`);
    expect(stats.paths.metadata?.complete).to.equal(false);
  });
});
