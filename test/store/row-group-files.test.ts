// Point reads in a segment with many row groups read a file of a few of them, which has the same rows and is gone afterwards.
import { expect } from 'chai';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { storeIn } from '../support/open-store.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

/** Nine row groups. */
const count = 17_000;
const together = 2000;
const idOf = (row: number) => `r${row}`;
const rootOf = (row: number) => `t${Math.floor(row / 5)}`;
const inputOf = (row: number) => JSON.stringify({ number: row, text: 'x'.repeat(row % 7) });

describe('files of row groups', () => {
  const directory = temporaryDirectory();
  const opened = storeIn(directory, { flushRows: 1_000_000 });

  beforeEach(async () => {
    for (let first = 0; first < count; first += together) {
      const events = Array.from({ length: Math.min(together, count - first) }, (_, index) => {
        const row = first + index;
        return { id: idOf(row), root_span_id: rootOf(row), input: JSON.parse(inputOf(row)) };
      });
      await opened().insert('e', ...events);
    }
    await opened().insert('e', { id: idOf(7), root_span_id: 'elsewhere' });
    await opened().store.flush();
  });

  const found = async (by: 'id' | 'root_span_id', ...values: readonly string[]) => {
    const { rows } = (await opened().store.find('e', { by, values }, 'client'))!;
    return new Map(rows.map((row) => [row.id, row]));
  };

  it('have the rows of any row group, and are removed', async () => {
    for (const rows of [[0], [2047, 2048], [16_999], [1, 9000, 15_000], [4096, 4097]]) {
      const read = await found('id', ...rows.map(idOf));
      expect([...read.keys()].toSorted()).to.deep.equal(rows.map(idOf).toSorted());
      for (const row of rows) {
        expect(read.get(idOf(row))).to.include({ input: inputOf(row), root_span_id: rootOf(row) });
        expect(read.get(idOf(row))?._position).to.equal(row % together);
      }
    }
    const five = [10_000, 10_001, 10_002, 10_003, 10_004].map(idOf);
    expect([...(await found('root_span_id', 't2000')).keys()].toSorted()).to.deep.equal(five);
    expect([...(await found('root_span_id', 'elsewhere')).keys()]).to.deep.equal([idOf(7)]);
    // The directory was made for them. It also has copies of rows that were looked up again.
    const files = await readdir(path.join(directory(), 'tmp', 'rows'));
    expect(files.filter((file) => !file.endsWith('.txt'))).to.deep.equal([]);
  });
});
