import { expect } from 'chai';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { join, sql } from '../../src/duckdb/sql.js';
import { kindCounts, textRows } from '../../src/query/sql/output.js';
import type { Snapshot } from '../../src/store/event-store.js';
import { bytesOf } from '../support/bytes-of.js';
import { openStore, type TestStore } from '../support/open-store.js';
import { rejection } from '../support/rejection.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { waitUntil } from '../support/wait-until.js';

const columns = [
  { name: 't', type: 'string' },
  { name: 'b', type: 'boolean' },
] as const;

/** `rows` rows of about `width` bytes; of kinds `sb` or, every third one, `sn`. */
const texts = (rows: number, width: number, first = 0) => sql`
  SELECT range::VARCHAR || repeat('é', ${BigInt(width)}) AS c0,
    CASE WHEN range % 3 <> 2 THEN true END AS c1, 'place ' || range AS place
  FROM range(${BigInt(first)}, ${BigInt(first + rows)}) ORDER BY range`;

const expected = (rows: number, width: number) =>
  Array.from(
    { length: rows },
    (_, n) => `{"t":"${n}${'é'.repeat(width)}","b":${n % 3 === 2 ? null : true}}`,
  );

describe('the text of a result', () => {
  const directory = temporaryDirectory();
  let opened: TestStore;
  let snapshot: Snapshot;

  const open = async (settings: Parameters<typeof openStore>[1] = {}) => {
    opened = await openStore(directory(), settings);
    snapshot = await opened.store.snapshot();
  };

  beforeEach(() => open());
  afterEach(async () => {
    await snapshot.release();
    await opened.close();
  });

  const collect = (query: ReturnType<typeof texts>, rowsMax = Infinity) =>
    snapshot.collectText(query, {
      queue: 'heavy',
      separator: ',\n',
      rowsMax,
      columns,
    });

  const write = (queries: readonly ReturnType<typeof texts>[], rowsMax = Infinity) => {
    const rows = queries.map((query) => () => textRows(columns, query));
    const all = sql`((${join(queries, ') UNION ALL (')}))`;
    const counts = kindCounts(columns, all);
    return snapshot.writeText({ rows, counts, rowsMax }, { queue: 'heavy', separator: ',\n' });
  };

  const files = async () =>
    (await readdir(path.join(directory(), 'tmp'))).filter((name) => name.startsWith('text-'));

  it('of several queries gets the SQL of one after the other, until it is abandoned', async () => {
    const abandoned = new AbortController();
    const made: number[] = [];
    const rows = [0, 1, 2].map((part) => () => {
      made.push(part);
      if (part === 1) abandoned.abort(new Error('abandoned'));
      return textRows(columns, texts(10, 1));
    });
    const counts = kindCounts(columns, sql`(${texts(30, 1)})`);
    const options = { queue: 'heavy', separator: ',', signal: abandoned.signal } as const;
    const written = snapshot.writeText({ rows, counts, rowsMax: 30 }, options);
    expect((await rejection(written)).message).to.equal('abandoned');
    expect(made).to.deep.equal([0, 1]);
    expect(await files()).to.deep.equal([]);
  });

  it('leaves no file when its caller is aborted and the work goes on', async () => {
    const caller = new AbortController();
    const options = { queue: 'small', signal: caller.signal, separator: ',', columns } as const;
    // The engine has read the rows before the first is converted, so that the work ignores interrupts.
    const collected = snapshot.collectText(texts(1_500_000, 10), { ...options, rowsMax: Infinity });
    const failed = rejection(collected);
    await waitUntil('text is written', async () => (await files()).length > 0);
    caller.abort(new Error('left'));
    expect((await failed).message).to.equal('left');
    await waitUntil('the file is removed', async () => (await files()).length === 0);
  });

  it('of several queries is not written if they have too many rows', async () => {
    const { text, rowCount } = await write([texts(10, 1), texts(10, 1, 10)], 19);
    expect({ length: text.length, rowCount }).to.deep.equal({ length: 0, rowCount: 20 });
    expect((await write([texts(10, 1), texts(10, 1, 10)], 20)).text.length).to.be.greaterThan(0);
  });

  it('is kept in memory when it is short', async () => {
    const { text, rowCount, kinds, place } = await collect(texts(5000, 3));
    expect(await files()).to.deep.equal([]);
    expect({ rowCount, kinds, place }).to.deep.equal({
      rowCount: 5000,
      kinds: ['s', 'bn'],
      place: 'place 4999',
    });
    const bytes = await bytesOf(text);
    expect(bytes).to.have.length(text.length);
    expect(Buffer.from(bytes).toString()).to.equal(expected(5000, 3).join(',\n'));
  });

  it('is kept in a file when it is long, which is gone once it is read', async () => {
    const { text } = await collect(texts(20_000, 100));
    expect(await files()).to.have.length(1);
    const bytes = await bytesOf(text);
    expect(bytes).to.have.length(text.length);
    expect(Buffer.from(bytes).toString()).to.equal(expected(20_000, 100).join(',\n'));
    expect(await files()).to.deep.equal([]);
  });

  it('loses its file when its reader leaves early', async () => {
    const { text } = await collect(texts(20_000, 100));
    for await (const chunk of text.chunks()) {
      expect(chunk.length).to.be.below(text.length);
      break;
    }
    expect(await files()).to.deep.equal([]);
  });

  it('loses its file when nobody reads it', async () => {
    const { text } = await collect(texts(20_000, 100));
    await text.remove();
    expect(await files()).to.deep.equal([]);
  });

  it('leaves no file behind when the query fails half way', async () => {
    const failing = sql`
      SELECT repeat('x', 1000) AS c0, CASE WHEN range = 9000 THEN error('half way')::BOOLEAN END AS c1
      FROM range(10000)`;
    await rejection(collect(failing));
    expect(await files()).to.deep.equal([]);
  });

  it('holds the rows of several queries one after the other', async () => {
    const parts = [texts(10, 1), texts(0, 1), texts(3000, 1, 10), texts(20, 1, 3010), texts(0, 1)];
    const { text, rowCount, kinds } = await write(parts);
    expect({ rowCount, kinds }).to.deep.equal({ rowCount: 3030, kinds: ['s', 'nb'] });
    const bytes = await bytesOf(text);
    expect(bytes).to.have.length(text.length);
    expect(Buffer.from(bytes).toString()).to.equal(expected(3030, 1).join(',\n'));
    expect(await files()).to.deep.equal([]);
    expect((await write([texts(0, 1), texts(0, 1)])).text).to.have.length(0);
  });

  it('of several queries loses its files when its reader leaves early', async () => {
    const { text } = await write([texts(20_000, 100), texts(20_000, 100)]);
    for await (const chunk of text.chunks()) {
      expect(chunk.length).to.be.below(text.length);
      break;
    }
    expect(await files()).to.deep.equal([]);
  });

  it('holds what the engine could take for quotes and separators', async () => {
    const value = `"\u0001, ''\n\\`;
    const odd = sql`SELECT ${value} AS c0, true AS c1`;
    const row = JSON.stringify({ t: value, b: true });
    const collected = await collect(sql`${odd} UNION ALL ${odd}`);
    for (const { text } of [collected, await write([odd, odd])])
      expect(Buffer.from(await bytesOf(text)).toString()).to.equal(`${row},\n${row}`);
  });

  it('ends at the largest number of rows, and tells that there are more', async () => {
    const { text, rowCount, kinds, place } = await collect(texts(10, 1), 2);
    expect({ rowCount, kinds, place }).to.deep.equal({
      rowCount: 10,
      kinds: ['s', 'b'],
      place: 'place 1',
    });
    expect(Buffer.from(await bytesOf(text)).toString()).to.equal(expected(2, 1).join(',\n'));
    const exactly = await collect(texts(10, 1), 10);
    expect(exactly).to.include({ rowCount: 10, place: 'place 9' });
  });

  it('may be empty', async () => {
    const { text, rowCount, place } = await collect(texts(0, 1));
    expect({ length: text.length, rowCount, place }).to.deep.equal({
      length: 0,
      rowCount: 0,
      place: null,
    });
    expect(await bytesOf(text)).to.have.length(0);
  });

  it('counts the time of the query', async () => {
    await snapshot.release();
    await opened.close();
    await open({ queryTimeoutMs: 2000 });
    const slow = sql`
      SELECT count(*)::VARCHAR AS c0, true AS c1 FROM range(1000000) a, range(1000000) b WHERE a.range % 7 = b.range % 5`;
    expect((await rejection(collect(slow))).message).to.match(/time budget/);
    expect(await files()).to.deep.equal([]);
  });
});
