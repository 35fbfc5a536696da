// Random histories of at least 60 operations under each of some settings of the server; the suites differ in how many.
import { expect } from 'chai';
import { checkStore } from '../../../src/store/check/check-store.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { startServer, type TestServer } from '../../support/start-server.js';
import { countsText, explore, rareOperations, resume, type Setting } from './explore.js';
import { newSeed } from '../../support/seed.js';

type Use<T> = (server: TestServer) => Promise<T>;

/** `histories` under each of the chosen settings. */
export function describeDifferential(
  title: string,
  chosen: readonly Setting[],
  histories: number,
): void {
  describe(title, () => {
    const directory = temporaryDirectory();

    for (const { name, server: options, fillerRows = 0 } of chosen)
      it(`give the same answers under the setting ${name}, also after a restart`, async () => {
        const seed = newSeed();
        const dir = directory();
        const use = async <T>(work: Use<T>): Promise<T> => {
          const server = await startServer({ dir, ...options });
          return work(server).finally(() => server.stop());
        };
        const explored = await use((server) =>
          explore(server, { seed, histories, lanes: 4, isReduced: true, fillerRows }),
        );
        process.stdout.write(`      ${name}, seed ${seed}:\n${countsText(explored)}\n`);
        expect(explored.failure, explored.failure ?? undefined).to.equal(null);
        expect(explored.histories).to.be.at.least(histories);
        expect(rareOperations(explored)).to.deep.equal([]);
        await use((server) => resume(server, explored.conversations, seed));
        expect(await checkStore(dir)).to.deep.equal([]);
      });
  });
}
