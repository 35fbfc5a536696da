// Answers that are kept in files for some time.
import { mkdir, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { KeptFiles } from '../../src/store/event-store.js';
import { rejection } from '../support/rejection.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { waitUntil } from '../support/wait-until.js';

const megabyte = 2 ** 20;
const hour = 3_600_000;

async function* chunksOf(...sizes: readonly number[]) {
  for (const size of sizes) yield new Uint8Array(size);
}

async function* failing() {
  yield new Uint8Array(1);
  throw new Error('the source failed');
}

describe('kept files', () => {
  const directory = temporaryDirectory();
  let files: KeptFiles;
  let chunksWithRoom: number;

  beforeEach(async () => {
    await mkdir(path.join(directory(), 'tmp'), { recursive: true });
    chunksWithRoom = Infinity;
    const hasRoom = () => Promise.resolve((chunksWithRoom -= 1) >= 0);
    const limits = { ownerMax: 2 * megabyte, totalMax: 3 * megabyte };
    files = new KeptFiles(directory(), hasRoom, limits);
  });

  afterEach(() => files.removeAll());

  const names = () => readdir(path.join(directory(), 'tmp'));

  it('have the bytes of all chunks, or a part of them', async () => {
    const file = await files.keep('a', hour, chunksOf(3, 0, 4));
    expect(file.length).to.equal(7);
    expect(await readFile(path.join(directory(), 'tmp', file.name))).to.have.lengthOf(7);
    for (const [part, length] of [
      [null, 7],
      [{ first: 5, last: 6 }, 2],
    ] as const) {
      const read = await (await files.read(file, part))!.toArray();
      expect(Buffer.concat(read as Buffer[])).to.have.lengthOf(length);
    }
    expect((await files.keep('a', hour, chunksOf())).length).to.equal(0);
  });

  it('are refused when all are removed while they are written, and leave nothing', async () => {
    async function* removing(size: number) {
      yield new Uint8Array(size);
      await files.removeAll();
      yield new Uint8Array(size);
    }
    for (let round = 0; round < 3; round += 1)
      expect(await rejection(files.keep('a', hour, removing(megabyte)))).to.include({
        status: 503,
        message: 'the answer was removed while it was written: request it again',
      });
    expect(await names()).to.deep.equal([]);
    expect(await files.keep('a', hour, chunksOf(2 * megabyte))).to.include({
      length: 2 * megabyte,
    });
  });

  it('are refused while the disk is almost full, and leave nothing', async () => {
    chunksWithRoom = 1;
    expect(await rejection(files.keep('a', hour, chunksOf(1, 1)))).to.include({
      status: 503,
      message: 'the storage for temporary data is full or cannot be written',
    });
    expect(await names()).to.deep.equal([]);
  });

  it('are removed when their time is over, and at the end', async () => {
    const [short] = [
      await files.keep('a', 1, chunksOf(1)),
      await files.keep('a', hour, chunksOf(1)),
    ];
    await waitUntil('the file is removed', async () => (await names()).length === 1);
    expect(await files.read(short, null)).to.equal(undefined);
    await files.removeAll();
    expect(await names()).to.deep.equal([]);
  });

  it('are limited for an owner and in total, and leave nothing where they are refused', async () => {
    const refused =
      'the server keeps at most 2 MB of answers that are read in parts for a key, and 3 MB for all keys: read the whole answer with GET without Range, or try again when other URLs have expired';
    const keep = (owner: string, ...sizes: readonly number[]) =>
      files.keep(owner, hour, chunksOf(...sizes));
    expect((await rejection(keep('a', megabyte, megabyte, 1))).message).to.equal(refused);
    expect(await names()).to.deep.equal([]);
    await keep('a', 2 * megabyte);
    expect((await rejection(keep('a', 1))).message).to.equal(refused);
    await keep('b', megabyte);
    expect((await rejection(keep('c', 1))).message).to.equal(refused);
    expect((await names()).length).to.equal(2);
    await files.removeAll();
    await keep('c', 2 * megabyte);
  });

  it('leave nothing where their source fails', async () => {
    const error = await rejection(files.keep('a', hour, failing()));
    expect(error.message).to.equal('the source failed');
    expect(await names()).to.deep.equal([]);
  });
});
