// What is deleted leaves the disk: the files of a store of which half of the events were deleted.
import { expect } from 'chai';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { checkStore } from '../../src/store/check/check-store.js';
import { openStore } from '../support/open-store.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const events = 200_000;
const atOnce = 2_000;
const dayMs = 86_400_000;

async function sizeOf(directory: string): Promise<number> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = files.map(
    async ({ parentPath, name }) => (await stat(path.join(parentPath, name))).size,
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

describe('a store of which half of the events were deleted', () => {
  const directory = temporaryDirectory();

  it('is at most 0.6 of its size before', async () => {
    let now = Date.UTC(2026, 0, 1);
    const history = { days: 1, keepsAll: () => false };
    const opened = await openStore(directory(), { now: () => now, history });
    for (let first = 0; first < events; first += atOnce)
      await opened.insert(
        'e',
        ...Array.from({ length: atOnce }, (_, index) => ({
          id: `event-${first + index}`,
          input: { question: `What is ${first + index} times ${index}?`, n: first * index },
          output: `${first * index * 7}, or ${(first + 13) * (index + 7)}`,
        })),
      );
    await opened.store.flush();
    const before = await sizeOf(directory());
    for (let first = 0; first < events; first += 2 * atOnce)
      await opened.insert(
        'e',
        ...Array.from({ length: atOnce }, (_, index) => ({
          id: `event-${first + 2 * index}`,
          _object_delete: true,
        })),
      );
    await opened.store.flush();
    const deleted = await sizeOf(directory());
    now += 2 * dayMs;
    await opened.insert('other', { id: 'a' });
    await opened.store.flush();
    const after = await sizeOf(directory());
    console.log(
      `      ${before} bytes; ${(deleted / before).toFixed(2)} of it with half deleted, ${(after / before).toFixed(2)} two days later`,
    );
    expect(after / before).to.be.below(0.6);
    expect(Object.keys(await opened.live('e'))).to.have.lengthOf(events / 2);
    await opened.close();
    expect(await checkStore(directory())).to.deep.equal([]);
  });
});
