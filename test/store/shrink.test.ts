// The database file after much was buffered in it.
import { expect } from 'chai';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { openStore } from '../support/open-store.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { waitUntil } from '../support/wait-until.js';

const megabyte = 2 ** 20;

describe('the file of the write buffer', () => {
  const directory = temporaryDirectory();
  const fileMb = async () => (await stat(path.join(directory(), 'meta.duckdb'))).size / megabyte;

  it('shrinks when the rows are in segments', async () => {
    const opened = await openStore(directory());
    await opened.insert('e', { id: 'first' });
    await opened.store.flush();
    for (let n = 0; n < 20; n++)
      await opened.insert('e', { id: `${n}`, input: `${n}`.repeat(2 * megabyte) });
    await opened.writer.checkpoint();
    expect(await fileMb()).to.be.greaterThan(40);
    await opened.store.flush();
    await waitUntil('the file shrinks', async () => (await fileMb()) < 20);
    await opened.close();
    const again = await openStore(directory());
    expect(Object.keys(await again.live('e'))).to.have.length(21);
    await again.close();
  });
});
