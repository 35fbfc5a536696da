import { expect } from 'chai';
import { aggregates } from '../../../src/query/trino/aggregates.js';
import { conformanceQueries, difference } from '../../../src/query/trino/conformance.js';
import { functions } from '../../../src/query/trino/functions.js';
import { operators } from '../../../src/query/trino/operators.js';
import { readRecorded } from '../../cluster/recorded.js';
import { sharedEngine } from '../fixture.js';
import { withoutEach } from './without-each.js';

const again =
  'the compiler makes other statements than a cluster has answered: npm run test:cluster';

describe('conformance of a cluster', () => {
  const engine = sharedEngine();

  it('asks what a cluster has answered as DuckDB does', async () => {
    const recorded = readRecorded();
    const queries = conformanceQueries();
    expect(
      queries.map(({ name, trino }) => [name, trino.sql]),
      again,
    ).to.deep.equal(recorded.map(({ name, sql }) => [name, sql]));
    for (const [index, query] of queries.entries()) {
      const texts = (await engine().all(query.texts)).map((row) => String(row['row']));
      const rows = recorded[index]?.rows ?? [];
      expect(difference(query, texts, rows)).to.equal(null);
      expect(difference(query, texts, rows.slice(1))).to.include(`${query.name}: ${rows.length}`);
    }
  });

  it('names the row and the expression that differ', () => {
    const [query] = conformanceQueries();
    const [answer] = readRecorded();
    if (query === undefined || answer === undefined) throw new Error('no conformance');
    const ours = answer.rows.map((row) => JSON.stringify({ p0: row[0] }));
    const theirs = answer.rows.map((row, index) => (index === 2 ? [-0.5, ...row.slice(1)] : row));
    const one = { ...query, trino: { ...query.trino, columns: query.trino.columns.slice(0, 1) } };
    expect(difference(one, ours, answer.rows)).to.equal(null);
    expect(difference(one, ours, theirs)).to.match(
      /^rows, row 2, metadata\.n \+ metadata\.m: .* is -0\.5$/,
    );
  });

  it('has each rule of the tables', () => {
    for (const table of [operators, functions, aggregates])
      withoutEach(table, (name) => expect(conformanceQueries, name).to.throw('conformance'));
  });
});
