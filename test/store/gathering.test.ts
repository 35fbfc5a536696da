// Which requests share a commit.
import { expect } from 'chai';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { Gathering } from '../../src/store/commit/gathering.js';
import { openStore } from '../support/open-store.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

describe('gathering requests for a commit', () => {
  const directory = temporaryDirectory();

  it('takes those that come a moment after the first, as many as half of those before', async () => {
    const opened = await openStore(directory());
    const insert = (id: string) => opened.insert('e', { id });
    await Promise.all(['a', 'b', 'c', 'd', 'e'].map(insert));
    let commits = 0;
    const transaction = opened.writer.transaction.bind(opened.writer);
    opened.writer.transaction = (...parts) => {
      commits += 1;
      return transaction(...parts);
    };
    // Behind timers, so that what is begun in the next turn comes before those of the first request.
    await delay(1);
    const first = insert('f');
    await nextTurn();
    await Promise.all([first, insert('g')]);
    expect(commits).to.equal(1);
    await opened.close();
  });

  it('does not wait for requests that nobody sends', async () => {
    const gathering = new Gathering();
    await gathering.untilEnough(1);
    gathering.ended(10);
    let enough = false;
    const waiting = gathering.untilEnough(1).then(() => (enough = true));
    gathering.arrived(4);
    await Promise.resolve();
    expect(enough).to.equal(false);
    await waiting;
    gathering.ended(1);
    const half = gathering.untilEnough(4);
    gathering.arrived(5);
    await half;
    gathering.ended(1);
    await gathering.untilEnough(1);
  });
});
