// Requests that are likely to come share a group with those that wait.
import { setImmediate as immediate } from 'node:timers/promises';
import { expect } from 'chai';
import { Gathering } from '../../src/store/commit/gathering.js';
import { openStore } from '../support/open-store.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

/** Whether it resolves before anything else can happen. */
async function isAtOnce(waiting: Promise<void>): Promise<boolean> {
  let isOver = false;
  void waiting.then(() => (isOver = true));
  for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  return isOver;
}

describe('gathering requests', () => {
  const directory = temporaryDirectory();

  it('makes one group of clients that were just answered', async () => {
    let groups = 0;
    const reached = (step: string) => void (groups += step === 'commit-middle' ? 1 : 0);
    const opened = await openStore(directory(), { hooks: { reached } });
    const [clients, rounds] = [8, 20];
    await Promise.all(
      Array.from({ length: clients }, async (_, client) => {
        // Some take longer to send the next one.
        for (let round = 0; round < rounds; round++) {
          await opened.insert('e', { id: `${client} ${round}` });
          for (let turn = 0; turn < client; turn++) await immediate();
        }
      }),
    );
    expect(groups).to.be.lessThan(rounds * 1.5);
    expect(Object.keys(await opened.live('e'))).to.have.length(clients * rounds);
    await opened.close();
  });

  it('waits until all have come, or for a while', async () => {
    const gathering = new Gathering();
    gathering.expect(3);
    const waiting = gathering.wait(1, 1);
    gathering.came(2);
    expect(await isAtOnce(waiting)).to.equal(false);
    gathering.came(3);
    expect(await isAtOnce(waiting)).to.equal(true);
    await gathering.wait(1, 1);
  });

  it('lets a client on its own, enough requests and many rows go on at once', async () => {
    const gathering = new Gathering();
    gathering.expect(1);
    expect(await isAtOnce(gathering.wait(0, 0))).to.equal(true);
    gathering.expect(2);
    expect(await isAtOnce(gathering.wait(2, 2))).to.equal(true);
    expect(await isAtOnce(gathering.wait(1, 256))).to.equal(true);
  });
});
