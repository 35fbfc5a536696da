// Random queries get the answers that the documents give, however the rows are stored; the suites differ in how many.
import { expect } from 'chai';
import { newSeed } from '../support/seed.js';
import { fuzz } from './fuzz.js';

/** `least`: how many queries have every operator and function with every kind of value. */
export function queriesAreAnswered(queries: number, least: number): void {
  it('are answered as they are worked out by hand', async () => {
    const seed = newSeed();
    process.stdout.write(`      seed ${seed}\n`);
    const { coverage, answered, open, failures, ...tally } = await fuzz({
      seed,
      queries,
      states: ['buffer', 'segments', 'half'],
    });
    process.stdout.write(
      `      ${tally.queries} queries, ${answered} with rows, ${open} open\n${coverage.table()}\n`,
    );
    expect(failures.join('\n\n')).to.equal('');
    expect(tally.queries).to.be.at.least(0.9 * queries);
    expect(answered).to.be.at.least(0.4 * tally.queries);
    expect(coverage.rare(least)).to.deep.equal([]);
  });
}
