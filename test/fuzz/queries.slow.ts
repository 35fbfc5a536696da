// Thousands of random queries get the answers that the documents give, however the rows are stored.
import { expect } from 'chai';
import { fuzz } from './fuzz.js';
import { newSeed } from '../support/seed.js';

describe('random queries at length', () => {
  it('are answered as they are worked out by hand', async () => {
    const seed = newSeed();
    process.stdout.write(`      seed ${seed}\n`);
    const { coverage, queries, answered, open, failures } = await fuzz({
      seed,
      queries: 5400,
      states: ['buffer', 'segments', 'half'],
    });
    process.stdout.write(
      `      ${queries} queries, ${answered} with rows, ${open} open\n${coverage.table()}\n`,
    );
    expect(failures.join('\n\n')).to.equal('');
    expect(queries).to.be.at.least(5000);
    expect(answered).to.be.at.least(0.4 * queries);
    expect(coverage.rare(30)).to.deep.equal([]);
  });
});
