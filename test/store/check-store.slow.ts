import { expect } from 'chai';
import { checkStore } from '../../src/store/check/check-store.js';
import { openStore } from '../support/open-store.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

describe('check-data', () => {
  const directory = temporaryDirectory();

  it('finds nothing in a log with more supersessions than a call has arguments', async () => {
    const opened = await openStore(directory(), { flushRows: 1_000_000 });
    const events = Array.from({ length: 50_000 }, (_, index) => ({ id: String(index) }));
    for (let version = 0; version < 4; version += 1) await opened.insert('e', ...events);
    await opened.close();
    expect(await checkStore(directory())).to.deep.equal([]);
  });
});
