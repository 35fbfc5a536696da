// The state of a store is loaded again while flushes and reads use what is there.
import path from 'node:path';
import { expect } from 'chai';
import { Writer } from '../../src/duckdb/writer.js';
import { EventLog, logDirectory } from '../../src/store/log/event-log.js';
import { loadState } from '../../src/store/recovery/load-state.js';
import { Supersessions } from '../../src/store/row/supersessions.js';
import { openStore } from '../support/open-store.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

describe('a state that is loaded again', () => {
  const directory = temporaryDirectory();

  it('is complete at every moment', async () => {
    const opened = await openStore(directory(), { flushRows: 1_000_000 });
    await opened.insert('e', { id: 'in a segment' }, { id: 'in both' });
    await opened.store.flush();
    await opened.insert('e', { id: 'in both' }, { id: 'buffered' });
    await opened.close();

    const file = path.join(directory(), 'meta.duckdb');
    const writer = await Writer.open(file, { memoryMb: 200, threads: 1 });
    const supersessions = new Supersessions();
    let isLoaded = false;
    let seen = 0;
    const check = () => {
      if (!isLoaded) return;
      expect(supersessions.all([first])).to.have.length(1);
      expect(log.eventAt(last, 1).id).to.equal('buffered');
      seen += 1;
    };
    const log = await EventLog.open(logDirectory(directory()), check);
    const reading: Pick<Writer, 'read'> = {
      read: async (query) => {
        const rows = await writer.read(query);
        check();
        return rows;
      },
    };
    const { state } = await loadState(reading, log, supersessions);
    const [first, last] = [state.segments[0]!.source, state.active.source];
    isLoaded = true;
    expect((await loadState(reading, log, supersessions)).state).to.deep.equal(state);
    check();
    expect(seen).to.be.above(3);
    await log.close();
    await writer.close();
  });
});
