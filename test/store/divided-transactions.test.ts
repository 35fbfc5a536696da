// A transaction that a flush in parts divides between segments, of which a crash leaves one beside the log.
import { EventEmitter, once } from 'node:events';
import { cp, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { EngineError } from '../../src/duckdb/engine-error.js';
import { checkStore } from '../../src/store/check/check-store.js';
import { SegmentOutputs } from '../../src/store/maintenance/segment-outputs.js';
import { rebuildManifest } from '../../src/store/rebuild/rebuild-manifest.js';
import { openStore, type TestStore } from '../support/open-store.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const options = { flushRows: 1_000_000 };

/** Flushes two halves of the buffered rows, as if all were too many together. */
async function flushHalves({ store }: TestStore): Promise<void> {
  const write = Reflect.get<SegmentOutputs, 'write'>(SegmentOutputs.prototype, 'write');
  SegmentOutputs.prototype.write = () => {
    Object.assign(SegmentOutputs.prototype, { write });
    return Promise.reject(new EngineError('memory', 'provoked'));
  };
  await store.flush();
}

/** The live rows now and as of the version. */
async function shown(opened: TestStore, version: bigint): Promise<object> {
  const snapshot = await opened.store.snapshot(version);
  const before = await opened.live('e', snapshot);
  await snapshot.release();
  return { before, now: await opened.live('e') };
}

describe('a divided transaction', () => {
  const directory = temporaryDirectory();
  const file = (name: string) => path.join(directory(), name);

  /** Leaves one segment with its first row. The others are in the log, and the database is missing. */
  async function crash(): Promise<{ readonly version: bigint; readonly before: object }> {
    let opened = await openStore(directory(), options);
    await opened.insert('e', { id: 'a', input: 1 });
    const version = await opened.insert(
      'e',
      { id: 'b', input: 1, root_span_id: 'z' },
      { id: 'c', input: 1, root_span_id: 'y' },
      { id: 'd', input: 1, root_span_id: 'x' },
    );
    await opened.insert('e', { id: 'c', input: 2 });
    await opened.close();
    await cp(file('log'), file('older log'), { recursive: true });
    opened = await openStore(directory(), options);
    await flushHalves(opened);
    const before = await shown(opened, version);
    await opened.close();
    const segments = file('segments/project_id=project');
    const [, second = '', ...others] = (await readdir(segments))
      .filter((name) => /\d\.parquet$/.test(name))
      .sort();
    expect(others).to.deep.equal([]);
    await rm(path.join(segments, second));
    await rm(file('meta.duckdb'));
    await cp(file('older log'), file('log'), { recursive: true });
    return { version, before };
  }

  it('is whole in a rebuilt manifest', async () => {
    const { version, before } = await crash();
    const settings = { memoryMb: 512, threads: 1 };
    const lines = await rebuildManifest(directory(), settings, () => Promise.resolve([]));
    expect(lines.at(-1)).to.equal('1 segments with 2 row versions, and 3 buffered ones');
    expect(lines.filter((line) => line.startsWith('left'))).to.deep.equal([]);
    expect(await checkStore(directory())).to.deep.equal([]);

    const gate = new EventEmitter();
    const opening = once(gate, 'open');
    const reached = async (step: string) => {
      if (step === 'segment-written') await opening;
    };
    const opened = await openStore(directory(), { ...options, hooks: { reached } });
    expect(await shown(opened, version)).to.deep.equal(before);
    // Neither the segment nor the buffer has the page order, so a query has to read the page.
    const page = await opened.store.newest('e', { unit: 'rows', count: 10 }, '');
    gate.emit('open');
    expect(page).to.equal(null);
    await opened.store.flush();
    expect(await shown(opened, version)).to.deep.equal(before);
    await opened.close();
    expect(await checkStore(directory())).to.deep.equal([]);
  });
});
