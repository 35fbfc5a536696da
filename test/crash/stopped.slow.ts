// A server process that is stopped for a minute under load, as by a debugger or a sleeping machine, and goes on.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { checkStore } from '../../src/store/check/check-store.js';
import { createProject } from '../support/objects.js';
import { startServer, type ServerProcess } from '../support/start-server.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { expectKept, insert, newLedger, type Ledger } from './ledger.js';

const stoppedMs = 60_000;
const clients = 8;
const readers = 4;
const small = { events: 5, bytes: 300 };
/** Of requests that wait when the process goes on. */
const answeredWithinMs = 30_000;

/** @returns the number of requests that got no answer */
async function insertUntil(
  server: ServerProcess,
  where: string,
  ledger: Ledger,
  isOver: () => boolean,
): Promise<number> {
  let unanswered = 0;
  while (!isOver())
    try {
      expect(await insert(server, where, ledger, small)).to.equal(200);
    } catch (error) {
      // A connection that was closed; anything else is a fault.
      if (!(error instanceof TypeError)) throw error;
      unanswered += 1;
    }
  return unanswered;
}

describe('a process that is stopped for a minute', () => {
  const directory = temporaryDirectory();

  it('loses nothing that was acknowledged, and answers those who waited', async () => {
    const server = await startServer({
      dir: directory(),
      environment: { EVALSTORE_FLUSH_ROWS: '500' },
    });
    try {
      const where = `/v1/project_logs/${(await createProject(server)).id}`;
      const ledger = newLedger();
      let isOver = false;
      const inserting = Array.from({ length: clients }, () =>
        insertUntil(server, where, ledger, () => isOver),
      );
      await sleep(2000);
      process.kill(server.pid, 'SIGSTOP');
      const before = ledger.answered.length;
      // New connections, which the kernel takes for it.
      const reading = Array.from({ length: readers }, () =>
        server.request('GET', `${where}/fetch?limit=5`).then(({ status }) => status),
      );
      await sleep(stoppedMs);
      const after = ledger.answered.length;
      process.kill(server.pid, 'SIGCONT');
      const late = sleep(answeredWithinMs, null, { ref: false }).then(() => {
        throw new Error('a request that waited got no answer');
      });
      expect(await Promise.race([Promise.all(reading), late])).to.deep.equal(
        reading.map(() => 200),
      );
      await sleep(3000);
      isOver = true;
      const unanswered = await Promise.race([Promise.all(inserting), late]);
      console.log(
        `      ${before} rows before, ${ledger.answered.length - after} after; ${unanswered.reduce((a, b) => a + b)} requests without an answer`,
      );
      expect(ledger.answered.length).to.be.above(after);
      expect(await insert(server, where, ledger, small)).to.equal(200);
      await expectKept(server, where, ledger);
      expect(server.log()).to.match(/the server did not run for (?:59|6\d) s/);
      expect(server.log()).not.to.match(/"level":(?:50|60)/);
      await server.kill();
      const again = await startServer({ dir: directory() });
      await expectKept(again, where, ledger);
      await again.stop();
      expect(await checkStore(directory())).to.deep.equal([]);
    } finally {
      await server.kill();
    }
  }).timeout(300_000);
});
