// Restores of a dataset to which other requests write at the same time.
import v8 from 'node:v8';
import { expect } from 'chai';
import type { RequestError } from '../../src/errors.js';
import type { KeyCaller, Services } from '../../src/service/context.js';
import { ensureObject } from '../../src/service/object/objects.js';
import { restoreDataset } from '../../src/service/sdk/restore.js';
import type { EventObject } from '../../src/schema/event-row.js';
import type { EventStore } from '../../src/store/event-store.js';
import { allRows, rowsOf } from '../support/open-store.js';
import { sql } from '../../src/duckdb/sql.js';
import { decodeEvents } from '../support/decode-events.js';
import { longestParsed } from '../support/longest-parsed.js';
import { rejection } from '../support/rejection.js';
import { serve, type Served } from '../support/serve.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

/** References to 5,001 attachments. */
const files = (from: number) =>
  Array.from({ length: 5001 }, (_, index) => ({
    type: 'braintrust_attachment',
    key: `file-${from + index}`,
  }));

const textOf = ([id, input]: readonly [string, string]) =>
  `{"id":"${id}","root_span_id":"${id}","span_id":"${id}","input":${input}}`;

describe('restoring a dataset while other requests write to it', () => {
  const directory = temporaryDirectory();
  let served: Served;
  let caller: KeyCaller;
  let dataset: EventObject;

  beforeEach(async () => {
    served = await serve(directory(), []);
    const { services } = served;
    const principal = services.accounts.principal('test-key-of-tests')!;
    caller = { ...principal, permission: 'create', requestId: 'r' };
    const made = async (kind: 'project' | 'dataset', fields: object) => {
      const { body } = await ensureObject(services, caller, kind, new Map(Object.entries(fields)));
      return (JSON.parse(body) as { id: string }).id;
    };
    const projectId = await made('project', { name: 'p' });
    const id = await made('dataset', { name: 'd', project_id: projectId });
    dataset = { kind: 'dataset', id, projectId, orgId: 'o' };
    caller = { ...caller, permission: 'update' };
  });

  const { getHeapStatistics } = v8;
  afterEach(async () => {
    v8.getHeapStatistics = getHeapStatistics;
    await served.close();
  });

  const insert = (...events: readonly object[]) =>
    served.services.store.insert([
      { object: dataset, events: decodeEvents('dataset', JSON.stringify({ events })) },
    ]);

  /** Restores to the version; before each of its inserts, another one is sent. */
  const restore = (
    version: bigint,
    other: () => Promise<unknown>,
    reserve: (bytes: number) => void = () => {},
  ) => {
    const { store } = served.services;
    const writing = {
      snapshot: (...parameters: Parameters<EventStore['snapshot']>) =>
        store.snapshot(...parameters),
      insert: async (...parameters: Parameters<EventStore['insert']>) => {
        await other();
        return store.insert(...parameters);
      },
    };
    const services = { ...served.services, store: writing as EventStore } as Services;
    const body = new Map([['version', String(version)]]);
    const { signal } = new AbortController();
    return restoreDataset(services, caller, dataset.id, body, reserve, signal);
  };

  const inputs = async (version: bigint | null = null) => {
    const snapshot = await served.services.store.snapshot(version);
    const rows = rowsOf(snapshot, dataset.id);
    const found = await allRows(snapshot, sql`SELECT id, input FROM ${rows} ORDER BY id`);
    await snapshot.release();
    return found;
  };

  const past = { id: 'a', input: 1 };
  const written = [
    { id: 'a', input: 2 },
    { id: 'b', input: 3 },
  ];

  for (const [when, wait] of [
    ['right before its commit', true],
    ['in its commit', false],
  ] as const)
    it(`undoes all of an insert ${when}`, async () => {
      const { xactId: version } = await insert(past);
      await insert({ id: 'c' });
      let inserted: ReturnType<typeof insert> | undefined;
      await restore(version, async () => {
        if (inserted !== undefined) return;
        inserted = insert(...written);
        if (wait) await inserted;
      });
      expect(await inputs()).to.deep.equal([['a', '1']]);
      expect(await inputs((await inserted)?.xactId)).to.deep.equal([
        ['a', '2'],
        ['b', '3'],
        ['c', null],
      ]);
    });

  it('records the attachments that it names, of any number, and grants no right to them', async () => {
    // Not by the service: as after the records were lost.
    await insert({ id: 'a', input: files(0) });
    const { xactId: version } = await insert({ id: 'b', input: files(5001) });
    await insert({ id: 'a' }, { id: 'b' });
    await restore(version, () => Promise.resolve());
    const { records } = served.services.attachments;
    const { userId } = caller;
    const orgId = caller.orgIds[0]!;
    const announced = { filename: 'f', contentType: 'a/b', userId };
    for (const key of ['file-0', 'file-10001']) {
      const record = await records.begin({ orgId, key }, announced, 0);
      expect(await records.complete(record!.file, 1)).to.equal(true);
      expect(await records.objectsOf([{ orgId, key, userId }])).to.deep.equal([]);
    }
    expect(await records.drop({ begunBefore: 1, unnamedBefore: 1 })).to.deep.equal([]);
  });

  it('reserves the memory of one attempt', async () => {
    const { xactId: version } = await insert({ id: 'a', input: 'x'.repeat(1000) });
    await insert({ id: 'a', input: 2 });
    const reserved: number[] = [];
    let inserts = 0;
    const other = async () => {
      if ((inserts += 1) < 4) await insert({ id: 'a', input: 3 });
    };
    await restore(version, other, (bytes) => reserved.push(bytes));
    expect(inserts).to.equal(4);
    expect(reserved).to.have.length(1);
  });

  it('reserves memory for the ids and tags of the records, also of those that it deletes', async () => {
    const { xactId: version } = await insert({ id: 'a', tags: ['x'.repeat(2 ** 20)] });
    await insert({ id: 'a', _object_delete: true }, { id: 'y'.repeat(2 ** 20) });
    let reserved = 0;
    await restore(
      version,
      () => Promise.resolve(),
      (bytes) => (reserved += bytes),
    );
    expect(reserved).to.be.within(2 * 2 ** 20, 3 * 2 ** 20);
    expect(await inputs()).to.deep.equal([['a', null]]);
  });

  it('refuses records that are larger than a quarter of the heap', async () => {
    const { xactId: version } = await insert({ id: 'a', input: 'x'.repeat(2 ** 21) });
    await insert(past);
    v8.getHeapStatistics = () => ({ ...getHeapStatistics(), heap_size_limit: 4.5 * 2 ** 20 });
    const error = (await rejection(restore(version, () => Promise.resolve()))) as RequestError;
    expect([error.status, error.message]).to.deep.equal([
      413,
      'version: the records that differ from it together are larger as JSON than the limit of 1 MB',
    ]);
    expect(await inputs()).to.deep.equal([['a', '1']]);
  });

  it('leaves turns of the event loop to other requests while it reads many records', async () => {
    const input = Array.from({ length: 20_000 }, (_, n) => ({ n }));
    const ids = Array.from({ length: 12 }, (_, n) => `${n}`);
    let version: bigint | undefined;
    for (const id of ids) version = (await insert({ id, input })).xactId;
    await insert(...ids.map((id) => ({ id, _object_delete: true })));
    let turns = 0;
    const turnsAt: number[] = [];
    await restore(
      version!,
      () => Promise.resolve(),
      () => {
        turnsAt.push(turns);
        setImmediate(() => (turns += 1));
      },
    );
    expect(turnsAt).to.have.length(ids.length);
    // The engine gives them all at once.
    expect(turnsAt.at(-1)).to.be.above(turnsAt[0]!);
    expect(await inputs()).to.have.length(ids.length);
  });

  it('reads long records elsewhere, in their order and with all digits', async () => {
    const long = `[${'1234567890.12345678901234567890,'.repeat(20_000)}1]`;
    const records = [
      ['a', '1'],
      ['b', long],
      ['c', '2'],
      ['d', long],
    ] as const;
    const body = records.map(textOf).join(',');
    const events = decodeEvents('dataset', `{"events":[${body}]}`);
    const { xactId: version } = await served.services.store.insert([{ object: dataset, events }]);
    await insert(...records.map(([id]) => ({ id, _object_delete: true })));
    const restoring = () => restore(version, () => Promise.resolve());
    expect(await longestParsed(restoring)).to.be.below(2 ** 18);
    expect(await inputs()).to.deep.equal(records);
    const snapshot = await served.services.store.snapshot(null);
    const query = sql`SELECT id, _lossless FROM ${rowsOf(snapshot, dataset.id)} ORDER BY _position`;
    const found = await allRows(snapshot, query);
    await snapshot.release();
    expect(found).to.deep.equal([
      ['a', false],
      ['b', true],
      ['c', false],
      ['d', true],
    ]);
  });

  it('restores nothing if they never stop', async () => {
    const { xactId: version } = await insert(past);
    await insert({ id: 'c' });
    const error = (await rejection(restore(version, () => insert(...written)))) as RequestError;
    expect([error.status, error.message]).to.deep.equal([
      503,
      `dataset ${dataset.id}: other requests wrote to it during 5 attempts to restore it, nothing was restored`,
    ]);
    expect(await inputs()).to.deep.equal([
      ['a', '2'],
      ['b', '3'],
      ['c', null],
    ]);
  });
});
