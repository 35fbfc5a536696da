import { expect } from 'chai';
import { newSeed } from '../support/seed.js';
import { fuzz } from './fuzz.js';

describe('random queries', () => {
  it('are answered as they are worked out by hand', async () => {
    const seed = newSeed();
    process.stdout.write(`      seed ${seed}\n`);
    const { queries, answered, failures } = await fuzz({ seed, queries: 25, states: ['half'] });
    process.stdout.write(`      ${queries} queries, ${answered} with rows\n`);
    expect(failures.join('\n\n')).to.equal('');
  });
});
