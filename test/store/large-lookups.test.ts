// Look-ups of many large rows in copies of row groups: what is beyond a limit is neither read nor copied.
import { open, readdir, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { RowIndex } from '../../src/store/row/row-index.js';
import { CheckedFiles } from '../../src/store/segment/checked-files.js';
import { LookupEngine } from '../../src/store/segment/lookup-engine.js';
import { SegmentLookup } from '../../src/store/segment/segment-lookup.js';
import { toSegment, type Segment } from '../../src/store/segment/segment.js';
import { rowsOf, segmentsIn } from '../support/open-segments.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

/** Two row groups of 18 MB. */
const count = 2 * 2048;
const rowLength = 9000;
const ids = Array.from({ length: count }, (_, n) => `${n}`);
const numbers = Array.from(ids.keys());
const everything = 2 ** 30;

const sum = (sizes: readonly number[]) => sizes.reduce((total, size) => total + size, 0);

describe('look-ups of many large rows', () => {
  const directory = temporaryDirectory();
  const segments = segmentsIn(directory);
  let lookup: SegmentLookup;
  let segment: Segment;

  beforeEach(async () => {
    const input = 'x'.repeat(rowLength);
    const rows = rowsOf('e', JSON.stringify(ids.map((id) => ({ id, input }))));
    const { files, name } = segments();
    const stats = await segments().write([{ xactId: 1n, rows }]);
    await files.moveToProject(name);
    segment = toSegment(name.source, name.projectId, stats, {});
    const temporary = path.join(directory(), 'lookup');
    lookup = new SegmentLookup(
      new LookupEngine({
        memoryMb: 256,
        temporaryDirectory: temporary,
        segmentDirectory: directory(),
      }),
      files,
      new CheckedFiles(files, () => {}),
      { directory: copies(), bytesMax: everything, reserved: () => 0, idleMs: 60_000 },
    );
  });
  afterEach(() => lookup.close());

  const copies = () => path.join(directory(), 'lookup', 'rows');

  /** The sizes of the parts that `work` reads from files in this thread. */
  async function readSizes(work: () => Promise<unknown>): Promise<readonly number[]> {
    const handle = await open(path.join(directory(), 'rows.log'));
    const prototype = Object.getPrototypeOf(handle) as { read: unknown };
    await handle.close();
    const original = prototype.read as (...values: unknown[]) => unknown;
    const sizes: number[] = [];
    prototype.read = function read(this: FileHandle, buffer: Buffer, ...rest: unknown[]) {
      sizes.push(buffer.length);
      return original.call(this, buffer, ...rest);
    };
    try {
      await work();
    } finally {
      prototype.read = original;
    }
    return sizes;
  }

  it('to merge into read and copy no more than the limit', async () => {
    const rows = await lookup.rowsAt(segment, numbers, 2 ** 20);
    // The limit is on their JSON. The other columns of a row have 512 bytes.
    expect(rows.size).to.be.within(100, Math.floor((2 ** 20 + count * 512) / rowLength));
    expect(await readdir(copies())).to.have.length(1);
    const all = await lookup.rowsAt(segment, numbers, everything);
    expect([...all.keys()].sort((a, b) => a - b)).to.deep.equal(numbers);
    for (const { input } of all.values()) expect(input).to.have.length(rowLength + 2);
    const exactly = await lookup.rowsAt(segment, numbers, count * (rowLength + 2));
    expect(exactly.size).to.equal(count);
  });

  it('read neighbouring rows in parts', async () => {
    await lookup.rowsAt(segment, numbers, everything);
    const sizes = await readSizes(() => lookup.rowsAt(segment, numbers, everything));
    expect(sum(sizes)).to.be.above(count * rowLength);
    expect(Math.max(...sizes)).to.be.most(16 * 2 ** 20);
  });

  it('for versions alone do not read all texts', async () => {
    await lookup.rowsAt(segment, numbers, everything);
    const found = new RowIndex();
    const sizes = await readSizes(() => lookup.find([segment], 'e', ids, found));
    expect(sum(sizes)).to.be.most(16 * 2 ** 20);
    for (const id of ids) expect(found.find('e', id)).to.include({ source: 1, deleted: false });
  });

  it('for whole rows end at the limit', async () => {
    await lookup.rowsAt(segment, numbers, everything);
    const limits = { bytesMax: 2 ** 20, groupBytesMax: 0 };
    const sizes = await readSizes(async () => {
      expect(await lookup.wholeRows(segment, numbers.slice(0, 500), limits)).to.equal(null);
    });
    expect(sum(sizes)).to.be.most(2 ** 20);
    const few = await lookup.wholeRows(segment, numbers.slice(500, 550), limits);
    expect(few).to.have.property('size', 50);
  });
});
