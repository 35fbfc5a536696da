// Frames that take several calls to be written and read, since one call has a limit.
import { mkdtemp, open, readFile, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { NothingWritten, readBytes, writePieces } from '../../src/store/log/large-calls.js';
import { rejection } from '../support/rejection.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const pieces = [3, 1, 12, 0, 5].map((length, index) => Buffer.alloc(length, `${index}`));
const whole = Buffer.concat(pieces);

type Writes = Pick<FileHandle, 'writev'>;

/** A file whose writes return these numbers or reject with these errors in turn. */
function fakeFile(...results: readonly (number | Error)[]) {
  const left = [...results];
  const positions: unknown[] = [];
  const writev = (_buffers: readonly NodeJS.ArrayBufferView[], position: number) => {
    positions.push(position);
    const result = left.shift();
    return typeof result === 'number'
      ? Promise.resolve({ bytesWritten: result })
      : Promise.reject(result ?? new Error('no further write'));
  };
  return { file: { writev } as unknown as Writes, positions };
}

describe('calls of the file system with a limit', () => {
  const directory = temporaryDirectory();

  it('write and read the whole, with at most the limit in each call', async () => {
    for (let limit = 1; limit <= whole.length + 1; limit++) {
      const file = path.join(await mkdtemp(path.join(directory(), 'file-')), 'frame');
      const handle = await open(file, 'w+');
      const sizes: number[] = [];
      const counted = {
        writev: (buffers: readonly Buffer[], position: number) => {
          sizes.push(buffers.reduce((sum, { length }) => sum + length, 0));
          return handle.writev(buffers, position);
        },
        read: (into: Buffer, at: number, length: number, position: number) => {
          sizes.push(length);
          return handle.read(into, at, length, position);
        },
      };
      await handle.write('head');
      await writePieces(counted as unknown as Writes, pieces, 4, limit);
      expect((await readFile(file)).toString()).to.equal(`head${whole.toString()}`);
      const read = counted as unknown as Pick<FileHandle, 'read'>;
      expect(await readBytes(read, 4, whole.length, limit)).to.deep.equal(whole);
      expect(await readBytes(read, 4, whole.length + 9, limit)).to.deep.equal(whole);
      await handle.close();
      expect(sizes.filter((size) => size > limit)).to.deep.equal([]);
    }
  });

  it('write on behind what a call wrote, and stop if it wrote nothing', async () => {
    for (const result of [0, -1_988_100_096]) {
      const { file, positions } = fakeFile(7, result);
      expect(await rejection(writePieces(file, pieces, 100, 10))).to.have.property(
        'message',
        `a write returned ${result} bytes`,
      );
      expect(positions).to.deep.equal([100, 107]);
    }
  });

  it('say that nothing was written only if the first call was refused', async () => {
    const refused = Object.assign(new Error('read-only'), { code: 'EROFS' });
    const first = await rejection(writePieces(fakeFile(refused).file, pieces, 0));
    expect(first).to.be.instanceOf(NothingWritten);
    const second = await rejection(writePieces(fakeFile(3, refused).file, pieces, 0));
    expect(second).to.equal(refused);
  });
});
