// Merges that need more memory or more of the disk than there is.
import { expect } from 'chai';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { checkStore } from '../../src/store/check/check-store.js';
import { EngineError, isEngineError } from '../../src/duckdb/engine-error.js';
import type { StoreHooks } from '../../src/store/event-store.js';
import { MergePause } from '../../src/store/maintenance/merge-limits.js';
import { SegmentOutputs } from '../../src/store/maintenance/segment-outputs.js';
import { openStore, storeIn } from '../support/open-store.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { waitUntil } from '../support/wait-until.js';

type Limit = Parameters<NonNullable<StoreHooks['limited']>>[0];

const requests = 4;
const rows = 1000;

describe('a merge that runs out of memory', () => {
  const directory = temporaryDirectory();

  it('is not tried again as it was, and nothing is lost', async () => {
    const limits: Limit[] = [];
    const failures: unknown[] = [];
    const opened = await openStore(directory(), {
      flushRows: 1_000_000,
      maintenanceMemoryMb: 50,
      compaction: { fanOut: requests },
      hooks: {
        limited: (limit) => limits.push(limit),
        failed: (error) => failures.push(error),
      },
    });
    try {
      for (let request = 0; request < requests; request++) {
        const events = Array.from({ length: rows }, (_, index) => ({
          id: `${request} ${index}`,
          input: `${index} ${'x'.repeat(6000)}`,
        }));
        await opened.insert('e', ...events);
        await opened.store.flush();
      }
      expect(failures).to.deep.equal([]);
      expect(limits).to.have.length(1);
      expect(isEngineError(limits[0]?.error, 'memory')).to.equal(true);
      expect(Object.keys(await opened.live('e'))).to.have.length(requests * rows);
    } finally {
      await opened.close();
    }
    const files = await readdir(path.join(directory(), 'segments', 'project_id=project'));
    expect(files.filter((name) => /^0.*parquet$/.test(name))).to.have.length(requests);
    expect(await checkStore(directory())).to.deep.equal([]);
  });
});

describe('a merge for which the disk has no room', () => {
  const directory = temporaryDirectory();
  const failures: Error[] = [];
  const opened = storeIn(directory, {
    flushRows: 1_000_000,
    compaction: { fanOut: 2 },
    hooks: { failed: (error) => failures.push(error as Error) },
  });

  const write = Reflect.get<SegmentOutputs, 'write'>(SegmentOutputs.prototype, 'write');
  afterEach(() => Object.assign(SegmentOutputs.prototype, { write }));

  it('waits before it is tried again, and flushes do not', async () => {
    failures.length = 0;
    let merges = 0;
    SegmentOutputs.prototype.write = function (connection, request) {
      if (request.inputs.length === 1) return write.call(this, connection, request);
      merges += 1;
      return Promise.reject(new EngineError('storage', 'No space left on device'));
    };
    for (const id of ['a', 'b', 'c', 'd']) {
      await opened().insert('e', { id });
      await opened().store.flush();
    }
    expect(merges).to.equal(1);
    expect(failures.map(({ message }) => message)).to.deep.equal([
      'segments 3, 5 of project project cannot be merged while the disk is full or cannot be written, this is tried again',
    ]);
    expect(opened().store.stats().buffered.rows).to.equal(0);
  });

  it('may also wait for open files', async () => {
    failures.length = 0;
    SegmentOutputs.prototype.write = function (connection, request) {
      if (request.inputs.length === 1) return write.call(this, connection, request);
      return Promise.reject(new EngineError('storage', 'Cannot open file: Too many open files'));
    };
    for (const id of ['a', 'b']) {
      await opened().insert('e', { id });
      await opened().store.flush();
    }
    expect(failures.map(({ message }) => message)).to.deep.equal([
      'segments 3, 5 of project project cannot be merged while the server has too many open files, this is tried again',
    ]);
  });

  it('is not one that cannot read a segment, which is left out of merges', async () => {
    failures.length = 0;
    let merges = 0;
    SegmentOutputs.prototype.write = function (connection, request) {
      if (request.inputs.length === 1 || ++merges > 1) return write.call(this, connection, request);
      const file = path.join(directory(), 'segments/project_id=project/00000003.parquet');
      return Promise.reject(
        new EngineError(
          'storage',
          `IO Error: Could not read from file "${file}": Input/output error`,
        ),
      );
    };
    for (const id of ['a', 'b', 'c', 'd']) {
      await opened().insert('e', { id });
      await opened().store.flush();
    }
    await waitUntil('another merge', () => merges > 1);
    expect(failures.map(({ message }) => message)).to.deep.equal([
      'segments 3, 5 of project project cannot be merged, they stay as they are until the next start',
    ]);
  });

  it('waits longer each time, and is logged again once a merge has succeeded', () => {
    const pause = new MergePause();
    const begin = () => [pause.begin(1000), pause.remaining(1000)];
    expect(pause.remaining(0)).to.be.at.most(0);
    expect(Array.from({ length: 9 }, begin)).to.deep.equal([
      [true, 5000],
      [false, 10_000],
      [false, 20_000],
      [false, 40_000],
      [false, 80_000],
      [false, 160_000],
      [false, 320_000],
      [false, 600_000],
      [false, 600_000],
    ]);
    pause.end();
    expect(pause.remaining(1000)).to.be.at.most(0);
    expect(begin()).to.deep.equal([true, 5000]);
  });
});
