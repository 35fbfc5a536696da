import { expect } from 'chai';
import { conformanceQueries, difference } from '../../src/query/trino/conformance.js';
import { sharedEngine } from '../query/fixture.js';
import { writeRecorded, type Recorded } from './recorded.js';
import { startTrino, type RunningTrino } from './running-trino.js';

describe('a cluster of two workers', () => {
  const engine = sharedEngine();
  let trino: RunningTrino;
  before(async () => {
    trino = await startTrino(18_781);
  });
  after(() => trino.stop());

  it('answers the conformance queries as DuckDB does', async () => {
    const recorded: Recorded[] = [];
    for (const query of conformanceQueries()) {
      const { name, texts } = query;
      const rows = await trino.rows(query.trino.sql);
      const expected = (await engine().all(texts)).map((row) => String(row['row']));
      expect(difference(query, expected, rows)).to.equal(null);
      recorded.push({ name, sql: query.trino.sql, rows });
    }
    writeRecorded(recorded);
  });
});
