// Rows of segments that are asked for again come from copies: they have to be what the segment says.
import { expect } from 'chai';
import { readdir, readFile, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { EngineError } from '../../src/duckdb/engine-error.js';
import { sql } from '../../src/duckdb/sql.js';
import { RowBlock } from '../../src/store/segment/row-block.js';
import { cacheBytesMax } from '../../src/store/segment/row-cache.js';
import { allRows, openStore, rowsOf, type TestStore } from '../support/open-store.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const odd = {
  input: { 'a"b': 'line\nbreak', '': [], control: '\u0001\u0002', emoji: '😀' },
  output: [null, { deep: [1, '\\', 'é'] }],
  expected: 'plain, "quoted"',
  error: { message: 'tab\there' },
  scores: { x: 0.1, y: null },
  metadata: { big: 1, list: ['a,b', ''] },
  metrics: { start: 1.5 },
  context: {},
  tags: ['one', 'two\u0001three', ''],
  created: '2024-02-29T12:34:56.789123Z',
  span_attributes: { name: 'n' },
};

const rows = Array.from({ length: 40 }, (_, n) => ({
  id: `id ${n} \u0001 'x'`,
  ...(n % 3 === 0 ? odd : {}),
  ...(n % 3 === 1 ? { input: n, tags: [], root_span_id: `r${n}`, span_id: `s${n}` } : {}),
}));

describe('copies of rows', () => {
  it('take up a quarter of what would be free without them', () => {
    expect(cacheBytesMax(100, 0, 1000)).to.equal(100);
    expect(cacheBytesMax(100, 0, 200)).to.equal(50);
    expect(cacheBytesMax(100, 50, 150)).to.equal(50);
    expect(cacheBytesMax(100, 50, 0)).to.equal(12);
  });
});

describe('rows of segments that are asked for again', () => {
  const directory = temporaryDirectory();
  let opened: TestStore;

  const open = async (rowCacheBytes?: number) => {
    opened = await openStore(directory(), {
      flushRows: 1_000_000,
      ...(rowCacheBytes === undefined ? {} : { rowCacheBytes }),
    });
    await opened.insert('e', ...rows);
    await opened.store.flush();
  };
  afterEach(() => opened.close());

  const copies = () => readdir(path.join(directory(), 'tmp', 'rows')).catch(() => []);

  const merge = (...numbers: readonly number[]) =>
    opened.insert(
      'e',
      ...numbers.map((n) => ({ id: rows[n]!.id, _is_merge: true, metadata: { merged: n } })),
    );

  /** All that a merge must leave alone. */
  async function others(): Promise<readonly (readonly unknown[])[]> {
    const snapshot = await opened.store.snapshot();
    const columns = sql`id, input, output, expected, error, scores, metrics, context, tags, created,
      span_id, root_span_id, span_parents, is_root, span_attributes, _lossless, object_kind`;
    const found = await allRows(
      snapshot,
      sql`SELECT ${columns} FROM ${rowsOf(snapshot, 'e')} ORDER BY id`,
    );
    await snapshot.release();
    return found;
  }

  const everyRow = rows.map((_, n) => n);

  it('keep everything that a merge does not change', async () => {
    await open();
    const before = await others();
    await merge(...everyRow);
    expect(await copies()).to.have.length(1);
    expect(await others()).to.deep.equal(before);
  });

  it('are copied when they are asked for a second time', async () => {
    await open();
    const before = await others();
    await merge(3);
    expect(await copies()).to.deep.equal([]);
    await merge(5);
    expect(await copies()).to.have.length(1);
    await merge(7, 8, 9);
    expect(await others()).to.deep.equal(before);
  });

  it('are read from the segment when there is no room for a copy, or it is damaged', async () => {
    await open(1);
    const before = await others();
    await merge(...everyRow.slice(0, 10));
    expect(await copies()).to.deep.equal([]);
    await opened.close();
    opened = await openStore(directory(), { flushRows: 1_000_000 });
    await merge(10, 11);
    const [name] = await copies();
    await truncate(path.join(directory(), 'tmp', 'rows', name!), 0);
    await merge(...everyRow.slice(12));
    expect(await others()).to.deep.equal(before);
  });

  it('are read from the segment when the rest of the disk is in the reserve', async () => {
    const disk = { free: 2 ** 60, total: 2 ** 62 };
    opened = await openStore(directory(), {
      flushRows: 1_000_000,
      diskReserveMb: 2 ** 32,
      measureDisk: () => Promise.resolve(disk),
    });
    await opened.insert('e', ...rows);
    await opened.store.flush();
    await merge(...everyRow.slice(0, 10));
    expect(await copies()).to.deep.equal([]);
  });

  it('are not tried for each row again when they fail', async () => {
    await open();
    const before = await others();
    const write = RowBlock.write.bind(RowBlock);
    let attempts = 0;
    RowBlock.write = () => {
      attempts += 1;
      return Promise.reject(new EngineError('memory', 'Out of Memory'));
    };
    try {
      for (let n = 0; n < 6; n++) await merge(n);
    } finally {
      RowBlock.write = write;
    }
    expect(attempts).to.equal(1);
    expect(await others()).to.deep.equal(before);
  });

  it('are read from the segment when a letter in their copy changed', async () => {
    await open();
    const before = await others();
    await merge(10, 11);
    const [name] = await copies();
    const copy = path.join(directory(), 'tmp', 'rows', name!);
    const text = await readFile(copy, 'latin1');
    expect(text.split('plain').length).to.be.greaterThan(10);
    await writeFile(copy, text.replaceAll('plain', 'qlain'), 'latin1');
    await merge(...everyRow.slice(12));
    expect(await others()).to.deep.equal(before);
  });

  it('leave no copies behind when their segment goes, or the store', async () => {
    await open();
    await merge(1, 2);
    await merge(3);
    expect(await copies()).to.have.length(1);
    await opened.close();
    expect(await copies()).to.deep.equal([]);
    opened = await openStore(directory(), {
      flushRows: 1_000_000,
      compaction: { supersededShare: 0.01, idleMs: 0 },
    });
    await merge(4, 5);
    await opened.store.flush();
    expect(await copies()).to.deep.equal([]);
  });
});
