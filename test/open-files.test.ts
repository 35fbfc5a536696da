// The limit on open files, and what waits or is refused because of it.
import { expect } from 'chai';
import { OpenFiles } from '../src/open-files.js';
import { rejection } from './support/rejection.js';
import { runToExit } from './support/start-server.js';
import { temporaryDirectory } from './support/temporary-directory.js';

/** Of which 42 are counted. */
const smallest = 128;

describe('open files', () => {
  const directory = temporaryDirectory();

  it('are limited by the operating system', () => {
    const { connectionsMax, mergedMax } = new OpenFiles(smallest);
    expect([connectionsMax, mergedMax]).to.deep.equal([21, 6]);
    expect(new OpenFiles(Infinity)).to.include({ connectionsMax: Infinity, mergedMax: Infinity });
  });

  it('of reads wait for each other, in their order', async () => {
    const files = new OpenFiles(smallest);
    const order: string[] = [];
    const read = async (name: string, count: number) => {
      await files.take(count);
      order.push(name);
    };
    await read('first', 40);
    const waiting = [read('large', 30), read('small', 1)];
    await Promise.resolve();
    expect(order).to.deep.equal(['first']);
    files.remove(40);
    await Promise.all(waiting);
    expect(order).to.deep.equal(['first', 'large', 'small']);
  });

  it('of a read are refused if there are never enough', async () => {
    const error = await rejection(new OpenFiles(smallest).take(43));
    expect(error).to.include({
      status: 503,
      message:
        'the query reads up to 43 files at once, and the server may open 42: query fewer objects, or raise the limit on open files (ulimit -n)',
    });
  });

  it('of a read are refused if others stay open, and those behind it are not', async () => {
    const files = new OpenFiles(smallest, 1);
    await files.take(40);
    const large = rejection(files.take(30));
    await files.take(2);
    expect(await large).to.include({
      status: 503,
      message: 'the server has too many open files: try again later',
    });
  });

  it('that are too few for a server are refused at the start', async () => {
    const wrapper = ['sh', '-c', 'ulimit -n 127 && exec "$@"', 'sh'];
    const { code, log } = await runToExit({ dir: directory(), wrapper });
    expect([code, log]).to.deep.equal([
      1,
      'cannot start: the limit on open files is 127, and the server needs 128: raise it with ulimit -n\n',
    ]);
  });
});
