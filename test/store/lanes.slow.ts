import { expect } from 'chai';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { sql } from '../../src/duckdb/sql.js';
import type { Snapshot } from '../../src/store/event-store.js';
import { allRows, openStore, type TestStore } from '../support/open-store.js';
import { rejection } from '../support/rejection.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { waitUntil } from '../support/wait-until.js';

const endless = sql`SELECT count(*) AS n FROM range(1000000) a, range(1000000) b WHERE a.range % 7 = b.range % 5`;
const small = sql`SELECT 1::BIGINT AS one`;
// list() keeps its values in memory that cannot be spilled.
const hungry = sql`SELECT len(list(md5(range::VARCHAR))) AS n FROM range(20000000)`;

describe('query budgets', () => {
  const directory = temporaryDirectory();
  let opened: TestStore;
  let snapshot: Snapshot;

  const open = async (options: Parameters<typeof openStore>[1]) => {
    opened = await openStore(directory(), options);
    snapshot = await opened.store.snapshot();
  };
  afterEach(async () => {
    await snapshot.release();
    await opened.close();
  });
  const query = (text: typeof small, signal?: AbortSignal) =>
    snapshot.materialize([() => text], { queue: 'heavy', signal }).then((result) => result.close());

  it('time: says so, and the next query runs', async () => {
    await open({ queryTimeoutMs: 100 });
    const text =
      'the query exceeded its time budget of 0.1 s: narrow it with a filter, fewer sources, fewer columns or a limit';
    expect(await rejection(query(endless))).to.include({ status: 400, message: text });
    const streamed = allRows(snapshot, endless, 'heavy');
    expect(await rejection(streamed)).to.include({ status: 400, message: text });
    await query(small);
  });

  it('time: a stream that breaks off half way is an error, not a short answer', async () => {
    await open({ queryTimeoutMs: 150 });
    const long = sql`SELECT a.range AS n FROM range(1000000) a, range(1000000) b`;
    expect(await rejection(allRows(snapshot, long, 'heavy'))).to.include({ status: 400 });
  });

  it('time: a slow consumer does not use it up', async () => {
    await open({ queryTimeoutMs: 300 });
    let rows = 0;
    const stream = snapshot.stream(sql`SELECT range AS n FROM range(6000)`, { queue: 'heavy' });
    for await (const chunk of stream) {
      rows += chunk.length;
      await new Promise((resolve) => setTimeout(resolve, 150));
    }
    expect(rows).to.equal(6000);
  });

  it('memory: a stream that is left early gives its own back', async () => {
    await open({ queryMemoryMb: 100 });
    const sorted = sql`SELECT range AS n FROM range(300000) ORDER BY hash(range)`;
    for (let left = 0; left < 25; left += 1) {
      const stream = snapshot.stream(sorted, { queue: 'heavy' });
      expect((await stream.next()).done).to.equal(false);
      await stream.return();
    }
  });

  it('memory: says so, inserts and lookups go on', async () => {
    await open({ queryMemoryMb: 100 });
    const queries = Array.from({ length: 4 }, () => rejection(query(hungry)));
    const state = { done: false };
    const all = Promise.all(queries).finally(() => (state.done = true));
    let inserted = 0;
    while (!state.done) {
      await opened.insert('e', { id: `${inserted}`, input: inserted });
      inserted += 1;
    }
    for (const error of await all)
      expect(error).to.include({
        status: 400,
        message:
          'the query exceeded the memory budget of 100 MB: narrow it with a filter, fewer sources, fewer columns or a limit',
      });
    expect(inserted).to.be.greaterThan(5);
    expect(Object.keys(await opened.live('e'))).to.have.length(inserted);
  });

  it('memory: a lookup that takes more than small reads have runs again as a query', async () => {
    await open({ queryMemoryMb: 2000 });
    const large = sql`SELECT len(list(repeat(md5(range::VARCHAR), 16))) AS n FROM range(800000)`;
    expect(await allRows(snapshot, large, 'small')).to.deep.equal([[800_000n]]);
    const target = {
      separator: ',',
      rowsMax: 10,
      columns: [{ name: 'n', type: 'number' }],
    } as const;
    const doubled = sql`SELECT CAST(n AS DOUBLE) AS c0 FROM (${large})`;
    const { text } = await snapshot.collectText(doubled, { queue: 'small', ...target });
    expect(Buffer.from(text.inMemory ?? []).toString()).to.equal('{"n":800000}');
  });

  it('abort: stops a running query, a waiting one and a stream between chunks', async () => {
    await open({ queryConcurrency: 1 });
    const controllers = [new AbortController(), new AbortController()];
    const running = rejection(query(endless, controllers[0]!.signal));
    const waiting = rejection(query(endless, controllers[1]!.signal));
    controllers[1]!.abort(new Error('left the queue'));
    expect((await waiting).message).to.equal('left the queue');
    controllers[0]!.abort(new Error('left'));
    expect((await running).message).to.equal('left');
    const streaming = new AbortController();
    const stream = snapshot.stream(sql`SELECT a.range AS n FROM range(1000000) a, range(1000) b`, {
      queue: 'heavy',
      signal: streaming.signal,
    });
    await stream.next();
    streaming.abort(new Error('left half way'));
    expect((await rejection(stream.next())).message).to.equal('left half way');
    const already = rejection(query(small, AbortSignal.abort(new Error('never came'))));
    expect((await already).message).to.equal('never came');
    await query(small);
  });

  it('abort: at any moment of a statement', async () => {
    await open({ queryConcurrency: 4, queryQueueLength: 40, queryTimeoutMs: 600_000 });
    const moments = Array.from({ length: 40 }, async (_, n) => {
      const controller = new AbortController();
      const running = rejection(query(endless, controller.signal));
      for (let ticks = 0; ticks < n; ticks++) await new Promise(setImmediate);
      controller.abort(new Error(`left at ${n}`));
      expect((await running).message).to.equal(`left at ${n}`);
    });
    await Promise.all(moments);
  });

  it('concurrency: refuses what is beyond the queue, lookups pass by', async () => {
    await open({ queryConcurrency: 1, queryQueueLength: 2 });
    const controller = new AbortController();
    const held = [1, 2, 3].map(() => rejection(query(endless, controller.signal)));
    const refused = await rejection(query(small));
    expect(refused).to.include({
      status: 429,
      message: '2 queries are waiting already, try again later',
    });
    expect(refused).to.have.deep.property('headers', { 'Retry-After': '5' });
    expect(await allRows(snapshot, small, 'small')).to.deep.equal([[1n]]);
    controller.abort();
    await Promise.all(held);
    await query(small);
  });

  it('gives the turn back when a stream is left early', async () => {
    await open({ queryConcurrency: 1 });
    for (let n = 0; n < 3; n++)
      for await (const rows of snapshot.stream(endlessRows, { queue: 'heavy' })) {
        expect(rows.length).to.be.greaterThan(0);
        break;
      }
    await query(small);
  });

  it('leaves no temporary files behind', async () => {
    await open({ queryMemoryMb: 60 });
    await opened.insert('e', ...Array.from({ length: 1000 }, () => ({ input: 'x'.repeat(1000) })));
    const result = await snapshot.materialize(
      [() => sql`SELECT range AS n, md5(range::VARCHAR) AS text FROM range(1000000) ORDER BY text`],
      { queue: 'heavy' },
    );
    const spilled = await readdir(path.join(directory(), 'tmp'), { recursive: true });
    expect(spilled.filter((name) => name.includes('duckdb_temp'))).to.have.length.above(0);
    await result.close();
    await snapshot.release();
    await opened.close();
    await waitUntil('temporary files are gone', async () => {
      const left = await readdir(path.join(directory(), 'tmp'), { recursive: true });
      return left.length === 0;
    });
  });
});

const endlessRows = sql`SELECT a.range AS n FROM range(1000000) a, range(1000000) b`;
