// A query as JSON, and one as SQL, has the answer of its clauses.
import { expect } from 'chai';
import { newSeed } from '../support/seed.js';
import { compareSpellings } from './spellings.js';

describe('random queries in other spellings', () => {
  for (const [spelling, queries] of [
    ['json', 300],
    ['sql', 200],
  ] as const)
    it(`${spelling}: have the answers of their texts`, async () => {
      const seed = newSeed();
      process.stdout.write(`      seed ${seed}\n`);
      const { answered, failure } = await compareSpellings(spelling, {
        seed,
        queries,
        state: 'half',
      });
      expect(failure ?? '').to.equal('');
      expect(answered).to.be.at.least(0.4 * queries);
    }).timeout(180_000);
});
