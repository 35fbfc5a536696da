// An answer in parts is read while later parts are written, and ends with the error of its writer.
import { expect } from 'chai';
import { EventEmitter, once } from 'node:events';
import { readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { writtenParts } from '../../src/store/read/answer/written-parts.js';
import { rejection } from '../support/rejection.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

describe('an answer in parts', () => {
  const directory = temporaryDirectory();
  const fileIn = (name: string) => path.join(directory(), name);
  const session = {
    removeFiles: async (paths: readonly string[]) => {
      for (const file of paths) await rm(file, { force: true });
    },
  };
  const left = () => readdir(directory());

  it('begins before the second part is written, and leaves no file', async () => {
    const gate = new EventEmitter();
    const later = once(gate, 'open');
    const { chunks, ended } = writtenParts(session, fileIn, 2, async (file, index) => {
      if (index === 1) await later;
      await writeFile(file, `part ${index} `);
    });
    const read = chunks()[Symbol.asyncIterator]();
    expect(String((await read.next()).value)).to.equal('part 0 ');
    gate.emit('open');
    expect(String((await read.next()).value)).to.equal('part 1 ');
    expect((await read.next()).done).to.equal(true);
    await ended;
    expect(await left()).to.deep.equal([]);
  });

  it('ends with the error of its writer, so that nobody takes it for complete', async () => {
    const { chunks, ended } = writtenParts(session, fileIn, 3, async (file, index) => {
      if (index === 1) throw new Error('the second part failed');
      await writeFile(file, `part ${index} `);
    });
    const read = chunks()[Symbol.asyncIterator]();
    expect(String((await read.next()).value)).to.equal('part 0 ');
    expect(String(await rejection(read.next()))).to.equal('Error: the second part failed');
    await ended;
    expect(await left()).to.deep.equal([]);
  });
});
