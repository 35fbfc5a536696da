// At least 500 random histories of at least 60 operations, spread over all settings of the server.
import { expect } from 'chai';
import { startServer } from '../support/start-server.js';
import { countsText, explore, newSeed, rareOperations, settings } from './explore.js';

const total = 500;

describe('server and model at length', () => {
  for (const { name, environment } of settings)
    it(`give the same answers to random histories under the setting ${name}`, async () => {
      const server = await startServer({ environment });
      const seed = newSeed();
      const histories = Math.ceil(total / settings.length);
      try {
        const explored = await explore(server, { seed, histories, lanes: 4, isReduced: true });
        process.stdout.write(
          `      ${name}, seed ${seed}:\n${countsText(explored.counts, explored.histories)}\n`,
        );
        expect(explored.failure).to.equal(null);
        expect(rareOperations(explored)).to.deep.equal([]);
      } finally {
        await server.stop();
      }
    });
});
