// Random histories give the same answers from the server and from a model that knows its rules alone.
import { expect } from 'chai';
import { sharedServer } from '../../support/start-server.js';
import { countsText, explore, settings } from './explore.js';
import { newSeed } from '../../support/seed.js';

describe('server and model', () => {
  const server = sharedServer(settings[0]?.server ?? {});

  it('give the same answers to random histories', async () => {
    const seed = newSeed();
    const explored = await explore(server(), { seed, histories: 8, lanes: 2, isReduced: true });
    process.stdout.write(`      seed ${seed}:\n${countsText(explored)}\n`);
    expect(explored.failure, explored.failure ?? undefined).to.equal(null);
  });
});
