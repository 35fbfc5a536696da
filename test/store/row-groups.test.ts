// Pages look through the row groups of a segment one by one.
import { expect } from 'chai';
import { openStore, type TestStore } from '../support/open-store.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const rowsPerInsert = 1024;
/** The engine writes no smaller ones. */
const rowGroupRows = 2048;
const inserts = 6;

describe('row groups of a segment', () => {
  const directory = temporaryDirectory();
  let opened: TestStore;
  afterEach(() => opened.close());

  it('are what a page is looked for in, newest first', async () => {
    opened = await openStore(directory(), { segments: { rowGroupRows } });
    const versions: bigint[] = [];
    for (let insert = 0; insert < inserts; insert++) {
      const events = Array.from({ length: rowsPerInsert }, (_, row) => ({
        id: `${insert}/${row}`,
      }));
      versions.push(await opened.insert('e', ...events));
    }
    await opened.store.flush();
    const snapshot = await opened.store.snapshot();
    const starts: (bigint | null)[] = [];
    const range = { from: null, to: null };
    const chunks = snapshot.chunks(['e'], { range, isComplete: () => true });
    for await (const { from } of chunks) starts.push(from);
    await snapshot.release();
    const firstsOfGroups = versions.filter((_, insert) => insert % 2 === 0);
    expect(starts).to.deep.equal([...firstsOfGroups.toReversed(), null]);
  });
});
