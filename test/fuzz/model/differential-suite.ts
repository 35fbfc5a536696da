// Random histories of at least 50 operations under each of some settings of the server; the suites differ in how many.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { checkStore } from '../../../src/store/check/check-store.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { startServer, type TestServer } from '../../support/start-server.js';
import { countsText, explore, rareOperations, resume, type Setting } from './explore.js';
import { newSeed } from '../../support/seed.js';

const dayMs = 86_400_000;
const preload = fileURLToPath(new URL('../../support/moved-clock.cjs', import.meta.url));

/** A history of a day, for a server whose clock is off as the file says. */
const agingBy = (clock: string) => ({
  EVALSTORE_HISTORY_DAYS: '1',
  EVALSTORE_TEST_CLOCK: clock,
  NODE_OPTIONS: `--require=${preload}`,
});

type Use<T> = (server: TestServer) => Promise<T>;

/** `histories` under each of the chosen settings. */
export function describeDifferential(
  title: string,
  chosen: readonly Setting[],
  histories: number,
): void {
  describe(title, () => {
    const directory = temporaryDirectory();

    for (const { name, server: options, fillerRows = 0, forgets = false } of chosen)
      it(`give the same answers under the setting ${name}, also after a restart`, async () => {
        const seed = newSeed();
        const dir = path.join(directory(), 'data');
        const clock = path.join(directory(), 'clock');
        const environment = { ...options.environment, ...(forgets ? agingBy(clock) : {}) };
        const use = async <T>(work: Use<T>): Promise<T> => {
          const server = await startServer({ dir, tuning: {}, ...options, environment });
          return work(server).finally(() => server.stop());
        };
        await writeFile(clock, String(-2 * dayMs));
        const explored = await use((server) =>
          explore(server, { seed, histories, lanes: 4, isReduced: true, fillerRows }),
        );
        process.stdout.write(`      ${name}, seed ${seed}:\n${countsText(explored)}\n`);
        expect(explored.failure, explored.failure ?? undefined).to.equal(null);
        expect(explored.histories).to.be.at.least(histories);
        expect(rareOperations(explored)).to.deep.equal([]);
        await writeFile(clock, '0');
        await use((server) => resume(server, explored.conversations, { seed, forgets }));
        expect(await checkStore(dir)).to.deep.equal([]);
      });
  });
}
