// Random histories give the same answers from the server and from a model that knows its rules alone.
import { expect } from 'chai';
import { sharedServer } from '../support/start-server.js';
import { countsText, explore, newSeed, rareOperations, settings } from './explore.js';

describe('server and model', () => {
  const server = sharedServer({ environment: settings[0]?.environment ?? {} });

  it('give the same answers to random histories', async () => {
    const seed = newSeed();
    const explored = await explore(server(), { seed, histories: 15, lanes: 3, isReduced: true });
    expect(explored.failure, `seed ${seed}`).to.equal(null);
    expect(rareOperations(explored), countsText(explored.counts, explored.histories)).to.deep.equal(
      [],
    );
  });
});
