// Rows on their way from the log to segments and through compaction: what is on disk, and what is read.
import { expect } from 'chai';
import { mkdir, readdir, readFile, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { sql } from '../../src/duckdb/sql.js';
import { checkStore } from '../../src/store/check/check-store.js';
import type { Chunk, Snapshot, XactRange } from '../../src/store/event-store.js';
import { allRows, openStore, type TestStore } from '../support/open-store.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { waitUntil } from '../support/wait-until.js';

const byHand = { flushRows: 1_000_000, compaction: { fanOut: 4 } };

const isComplete = ({ liveRows }: Chunk, index: number) => liveRows > index;

const branches = (snapshot: Snapshot) =>
  snapshot.live(['e']).branches.map(({ name }) => name.replace(/ .*/, ''));

describe('segments', () => {
  const directory = temporaryDirectory();
  let opened: TestStore;

  beforeEach(async () => {
    opened = await openStore(directory(), byHand);
  });
  afterEach(() => opened.close());

  const files = async () =>
    (await readdir(path.join(directory(), 'segments'), { recursive: true }))
      .filter((name) => path.extname(name) !== '' && !name.endsWith('superseded.parquet'))
      .sort();

  const rowFiles = async () => (await files()).filter((name) => name.endsWith('.parquet'));

  const folder = () => path.join(directory(), 'segments', 'project_id=project');
  const superseded = () => path.join(folder(), 'superseded.parquet');

  /** What a reader without a server finds. */
  const liveInFiles = () =>
    opened.writer
      .read(
        sql`
        SELECT id, input FROM read_parquet(${`${folder()}/0*.parquet`}, union_by_name = true, filename = true) e
        ANTI JOIN read_parquet(${superseded()}) s ON s.file = parse_filename(e.filename) AND s._row = e._row
        WHERE _superseded_by IS NULL AND NOT _deleted ORDER BY id`,
      )
      .catch(() => []);

  async function restart(): Promise<void> {
    await opened.close();
    opened = await openStore(directory(), byHand);
  }

  /** Every request in a segment of its own. */
  async function insertAndFlush(...requests: readonly (readonly object[])[]): Promise<bigint[]> {
    const versions: bigint[] = [];
    for (const events of requests) {
      versions.push(await opened.insert('e', ...events));
      await opened.store.flush();
    }
    return versions;
  }

  it('are smaller after a merge than after their flushes', async () => {
    let seed = 1;
    const draw = (from: number) => (seed = (seed * 48_271) % 2_147_483_647) % from;
    const phrase = () => Array.from({ length: 6 }, () => `word${draw(2000)}`).join(' ');
    const phrases = Array.from({ length: 3000 }, phrase);
    const text = () => Array.from({ length: 8 }, () => phrases[draw(3000)]).join(', ');
    const rows = () => Array.from({ length: 2048 }, () => ({ input: text() }));
    const bytes = async () => {
      const sizes = (await rowFiles()).map(async (name) => {
        const { size } = await stat(path.join(directory(), 'segments', name));
        return size;
      });
      return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    };
    await insertAndFlush(rows(), rows(), rows());
    expect(await rowFiles()).to.have.length(3);
    const flushed = (await bytes()) / 3;
    await insertAndFlush(rows());
    await waitUntil('they are merged', async () => (await rowFiles()).length === 1);
    expect((await bytes()) / 4).to.be.lessThan(0.98 * flushed);
  });

  it('take the rows over when the generation is full', async () => {
    await opened.close();
    opened = await openStore(directory(), { flushRows: 3 });
    await opened.insert('e', { id: 'a' }, { id: 'b' });
    expect(await files()).to.deep.equal([]);
    await opened.insert('e', { id: 'c' });
    await waitUntil('the segments are there', async () => (await rowFiles()).length === 1);
    expect(Object.keys(await opened.live('e'))).to.deep.equal(['a', 'b', 'c']);
  });

  it('are merged when no flush ran for a while, and not before', async () => {
    const openWith = async (quietMs: number) => {
      await opened.close();
      opened = await openStore(directory(), { flushRows: 1, compaction: { fanOut: 2, quietMs } });
    };
    const flushed = (count: number) =>
      waitUntil(`there are ${count} segments`, async () => (await rowFiles()).length === count);
    await openWith(3_600_000);
    for (let count = 1; count <= 4; count++) {
      await opened.insert('e', { id: `${count}` });
      await flushed(count);
    }
    await opened.store.flush();
    await flushed(1);
    const [before] = await rowFiles();
    await openWith(100);
    await opened.insert('e', { id: '5' });
    await waitUntil('all are merged', async () => {
      const [one, ...others] = await rowFiles();
      return one !== before && others.length === 0;
    });
    expect(Object.keys(await opened.live('e'))).to.have.length(5);
  });

  it('take the rows over when the generation is large, or old', async () => {
    await opened.close();
    opened = await openStore(directory(), { flushBytes: 10_000 });
    await opened.insert('e', { id: 'a', input: 'x'.repeat(10_000) });
    await waitUntil('the segments are there', async () => (await rowFiles()).length === 1);
    await opened.close();
    opened = await openStore(directory(), { flushSeconds: 0.05 });
    await opened.insert('e', { id: 'b' });
    await waitUntil('the segments are there', async () => (await rowFiles()).length === 2);
  });

  it('are read instead of buffered rows, and found again after a restart', async () => {
    const [first] = await insertAndFlush(
      [
        { id: 'a', input: { x: 1 } },
        { id: 'b', input: 2 },
      ],
      [
        { id: 'a', _is_merge: true, input: { y: 2 } },
        { id: 'b', _object_delete: true },
      ],
    );
    for (let round = 0; round < 2; round++) {
      const now = await opened.store.snapshot();
      const before = await opened.store.snapshot(first);
      expect(branches(now)).to.deep.equal(['segment', 'segment']);
      expect(await opened.live('e', now)).to.deep.equal({ a: { x: 1, y: 2 } });
      expect(await opened.live('e', before)).to.deep.equal({ a: { x: 1 }, b: 2 });
      const gone = await allRows(now, now.tombstoned(['e']));
      expect(gone).to.deep.equal([['e', 'b']]);
      await now.release();
      await before.release();
      await restart();
    }
  });

  it('hold one project each', async () => {
    await opened.insert('e', { id: 'a' });
    const snapshot = await opened.store.snapshot();
    await snapshot.release();
    await opened.store.flush();
    expect(await rowFiles()).to.have.length(1);
    expect((await rowFiles())[0]).to.match(/^project_id=project\/\d{8}\.parquet$/);
  });

  it('and logs stay while a snapshot reads them, and go after it', async () => {
    await opened.insert('e', { id: 'a', input: 1 });
    const before = await opened.store.snapshot();
    await insertAndFlush([{ id: 'a', input: 2 }], [{ id: 'b' }], [{ id: 'c' }], [{ id: 'd' }]);
    expect(await rowFiles()).to.have.length.greaterThan(1);
    expect(await opened.live('e', before)).to.deep.equal({ a: 1 });
    await before.release();
    await waitUntil('the segments are there', async () => (await rowFiles()).length === 1);
    expect(await readdir(path.join(directory(), 'log'))).to.have.length(1);
  });

  it('keep what superseded their rows while they were written and merged', async () => {
    await opened.close();
    let step = '';
    opened = await openStore(directory(), {
      ...byHand,
      hooks: {
        reached: async (name) => {
          if (name !== step) return;
          step = '';
          await opened.insert('e', { id: 'a', input: name }, { id: 'b', _object_delete: true });
        },
      },
    });
    const first = await opened.insert('e', { id: 'a', input: 1 }, { id: 'b', input: 2 });
    step = 'segment-written';
    await opened.store.flush();
    expect(await opened.live('e')).to.deep.equal({ a: 'segment-written' });
    const [second] = await insertAndFlush(
      [
        { id: 'a', input: 3 },
        { id: 'b', input: 4 },
      ],
      [{}],
    );
    step = 'compaction-middle';
    await insertAndFlush([{ id: 'x' }]);
    await waitUntil('the segments are there', async () => (await rowFiles()).length === 1);
    for (let round = 0; round < 2; round++) {
      expect(await opened.live('e')).to.include({ a: 'compaction-middle', x: null });
      expect(await opened.live('e')).to.not.have.property('b');
      for (const [version, expected] of [
        [first, { a: 1, b: 2 }],
        [second!, { a: 3, b: 4 }],
      ] as const) {
        const snapshot = await opened.store.snapshot(version);
        expect(await opened.live('e', snapshot)).to.deep.equal(expected);
        await snapshot.release();
      }
      await restart();
    }
    await opened.close();
    expect(await checkStore(directory())).to.deep.equal([]);
  });

  it('are read without a server with the file of what ended since', async () => {
    await insertAndFlush(
      [
        { id: 'a', input: 1 },
        { id: 'b', input: 2 },
        { id: 'c', input: 3 },
      ],
      [
        { id: 'b', _object_delete: true },
        { id: 'd', input: 4 },
      ],
    );
    await opened.insert('e', { id: 'd', _object_delete: true });
    await restart();
    expect(await liveInFiles()).to.deep.equal([
      { id: 'a', input: '1' },
      { id: 'c', input: '3' },
    ]);
  });

  it('have the file of what ended since rewritten at the start after a crash', async () => {
    await insertAndFlush([
      { id: 'a', input: 1 },
      { id: 'b', input: 2 },
    ]);
    const stale = await readFile(superseded());
    await opened.insert('e', { id: 'b', _object_delete: true });
    await opened.close();
    for (const damage of [() => writeFile(superseded(), stale), () => rm(superseded())]) {
      await damage();
      opened = await openStore(directory(), byHand);
      await waitUntil('the file is current', async () => (await liveInFiles()).length === 1);
      expect(await liveInFiles()).to.deep.equal([{ id: 'a', input: '1' }]);
      await opened.close();
    }
    opened = await openStore(directory(), byHand);
  });

  it('have the file of what ended since written again after a failure', async () => {
    await opened.close();
    const failures = new Set<unknown>();
    const failed = (error: unknown) => failures.add((error as NodeJS.ErrnoException).code);
    opened = await openStore(directory(), { ...byHand, hooks: { failed } });
    await insertAndFlush([
      { id: 'a', input: 1 },
      { id: 'b', input: 2 },
    ]);
    await rm(superseded());
    await mkdir(superseded());
    await insertAndFlush([{ id: 'b', _object_delete: true }]);
    expect([...failures]).to.deep.equal(['EISDIR']);
    expect(await rowFiles()).to.have.length(2);
    await rmdir(superseded());
    await opened.store.flush();
    expect(await liveInFiles()).to.deep.equal([{ id: 'a', input: '1' }]);
  });

  it('are searched by id and by trace', async () => {
    await insertAndFlush(
      [
        { id: 'a', input: 1, root_span_id: 'r', span_id: 'a' },
        { id: 'b', root_span_id: 's', span_id: 'b' },
      ],
      [
        { id: 'c', root_span_id: 'r', span_id: 'c' },
        { id: 'a', input: 2, root_span_id: 'r', span_id: 'a' },
      ],
    );
    await opened.insert('e', { id: 'd', root_span_id: 'r', span_id: 'd' });
    const snapshot = await opened.store.snapshot();
    const found = async (by: 'id' | 'root_span_id', ...values: string[]) => {
      const { branches: list } = await snapshot.find(['e'], { by, values });
      const rows = [];
      for (const { rows: from } of list)
        rows.push(...(await allRows(snapshot, sql`SELECT id, input FROM ${from}`)));
      return {
        branches: list.length,
        ids: rows.map(([id, input]) => `${String(id)} ${String(input)}`).sort(),
      };
    };
    expect(await found('id', 'a')).to.deep.equal({ branches: 3, ids: ['a 2'] });
    expect(await found('id', 'b', 'd')).to.deep.equal({ branches: 2, ids: ['b null', 'd null'] });
    expect(await found('root_span_id', 'r')).to.deep.equal({
      branches: 3,
      ids: ['a 2', 'c null', 'd null'],
    });
    expect(await found('root_span_id', 's')).to.deep.equal({ branches: 2, ids: ['b null'] });
    expect(await found('id')).to.deep.equal({ branches: 1, ids: [] });
    await snapshot.release();
  });

  it('are left out where a page cannot need them', async () => {
    const versions = await insertAndFlush([{ id: 'a' }], [{ id: 'b' }], [{ id: 'c' }]);
    const snapshot = await opened.store.snapshot();
    const range = { from: null, to: null };
    const ranges: XactRange[] = [];
    for await (const chunk of snapshot.chunks(['e'], { range, isComplete })) ranges.push(chunk);
    // The second has twice as many rows as the first.
    expect(ranges.map(({ from }) => from)).to.deep.equal([versions[2], versions[0], null]);
    const [first] = ranges;
    expect(branches(snapshot)).to.have.length(3);
    const inFirst = snapshot.live(['e'], snapshot.version, first).branches;
    expect(inFirst.map(({ name }) => name.replace(/ .*/, ''))).to.deep.equal(['segment']);
    await snapshot.release();
  });
});
