// Counts of rows that the store already knows.
import { expect } from 'chai';
import { sql } from '../../src/duckdb/sql.js';
import type { EventRelation } from '../../src/schema/event-relation.js';
import { sharedEngine } from './fixture.js';
import { compile } from './golden-file.js';

/** Eight rows to be read, and a branch of which only the number of rows exists. */
const relation: EventRelation = {
  branches: [
    { name: 'buffer', rows: sql`(SELECT * FROM event)`, hasLossless: true, paths: null },
    {
      name: 'segment',
      rows: sql`(SELECT * FROM read_parquet('/nowhere.parquet'))`,
      hasLossless: false,
      paths: null,
      rowCount: 1000,
    },
  ],
};

describe('rows that need not be counted', () => {
  const engine = sharedEngine();

  const answer = async (query: string) => {
    const { columns, valueRows } = compile(`${query} | from: experiment('e1')`, relation);
    const rows = await engine().result(columns, valueRows);
    return rows.map(({ text }) => JSON.parse(text) as object);
  };

  it('are not read', async () => {
    expect(await answer('measures: count(*) as n, count(1) * 2 as m')).to.deep.equal([
      { n: 1008, m: 2016 },
    ]);
    expect(await answer('select: count(*) as n | final_filter: n > 1000')).to.deep.equal([
      { n: 1008 },
    ]);
    expect(await answer('measures: count(*) as n | limit: 0')).to.deep.equal([]);
  });

  const reading = [
    'measures: count(id) as n',
    'measures: count(null) as n',
    'measures: count(*) as n, max(id) as last',
    'measures: count(*) as n | filter: id != 1',
    'measures: count(*) as n | sample: 50%',
    'measures: count(*) as n | unpivot: tags as tag',
    'dimensions: is_root | measures: count(*) as n',
  ];
  for (const query of reading)
    it(`are read for ${query}`, async () => {
      const error = await answer(query).then(
        () => null,
        (reason: unknown) => reason,
      );
      expect(String(error)).to.include('/nowhere.parquet');
    });

  for (const shape of ['traces', 'summary'])
    it(`are read in the shape of ${shape}`, () => {
      const { rows } = compile(
        `measures: count(*) as n | from: experiment('e1') ${shape}`,
        relation,
      );
      expect(JSON.stringify(rows.parts)).to.include('/nowhere.parquet');
    });
});
