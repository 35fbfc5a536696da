import { expect } from 'chai';
import path from 'node:path';
import { Catalog, type ObjectDraft } from '../../src/catalog/catalog.js';
import { formatMicros } from '../../src/catalog/object-fields.js';
import { Database } from '../../src/duckdb/database.js';
import { EngineError } from '../../src/duckdb/engine-error.js';
import { sql } from '../../src/duckdb/sql.js';
import { Writer } from '../../src/duckdb/writer.js';
import { UnknownOutcomeError } from '../../src/errors.js';
import { limits, objectBytesMax } from '../../src/schema/limits.js';
import { failCommit } from '../support/failing-commit.js';
import { rejection } from '../support/rejection.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { draft, everything, prompt, sized } from './drafts.js';

/** Settings with this number of values. */
const numbered = (count: number) =>
  new Map([['settings', Object.fromEntries(Array.from({ length: count }, (_, i) => [i, i]))]]);

describe('catalog', () => {
  const directory = temporaryDirectory();
  let writer: Writer;
  let catalog: Catalog;
  const now = Date.now;

  const open = async () => {
    writer = await Writer.open(path.join(directory(), 'meta.duckdb'), {
      memoryMb: 200,
      threads: 1,
    });
    catalog = await Catalog.open(writer);
  };
  beforeEach(open);
  afterEach(async () => {
    Date.now = now;
    await writer.close();
  });

  const insert = (name: string) => catalog.change((changes) => changes.insert(draft(name)));
  const holder = (name: string) => catalog.objectWithKey(draft(name));
  const writes = (...drafts: readonly ObjectDraft[]) =>
    catalog.change((changes) => changes.all(drafts.map((each) => ({ draft: each }))));
  const slugs = () => ['a', 'b', 'c'].filter((slug) => catalog.objectWithKey(prompt(slug, 0n)));
  const names = () => catalog.list('project', everything).map(({ name }) => name);

  it('orders by creation although the clock stands still or steps back, also across a restart', async () => {
    Date.now = () => 1_700_000_000_000;
    await insert('a');
    await insert('b');
    Date.now = () => 1_600_000_000_000;
    await insert('c');
    await writer.close();
    await open();
    await insert('d');
    expect(names()).to.deep.equal(['d', 'c', 'b', 'a']);
    const times = catalog.list('project', everything).map(({ created }) => formatMicros(created));
    expect(times).to.deep.equal([
      '2023-11-14T22:13:20.000003Z',
      '2023-11-14T22:13:20.000002Z',
      '2023-11-14T22:13:20.000001Z',
      '2023-11-14T22:13:20.000000Z',
    ]);
  });

  it('shows nothing of a change that was not stored', async () => {
    await insert('kept');
    await writer.transaction((connection) =>
      connection.run(sql`ALTER TABLE catalog_object RENAME TO elsewhere`),
    );
    await rejection(insert('lost'));
    await writer.transaction((connection) =>
      connection.run(sql`ALTER TABLE elsewhere RENAME TO catalog_object`),
    );
    expect(names()).to.deep.equal(['kept']);
    expect(holder('lost')).to.equal(undefined);
    await insert('lost');
    expect(names()).to.deep.equal(['lost', 'kept']);
  });

  it('finds out what was stored when the storage failed in the commit', async () => {
    const [transaction, open] = [writer.transaction.bind(writer), Database.open.bind(Database)];
    writer.transaction = (work) => {
      writer.transaction = transaction;
      Database.open = () => Promise.reject(new EngineError('fatal', 'provoked'));
      return transaction(async (connection) => {
        const result = await work(connection);
        failCommit(connection, sql`COMMIT`);
        return result;
      });
    };
    const failed = await rejection(insert('a'));
    const refused = await rejection(insert('c'));
    Database.open = open;
    expect(failed).to.be.instanceOf(UnknownOutcomeError);
    expect(refused).to.include({
      status: 503,
      message: 'the storage is full or cannot be written, nothing was stored',
    });
    const found = await catalog.change(() => Promise.resolve(holder('a')));
    expect(found?.name).to.equal('a');
    await insert('b');
    expect(names()).to.deep.equal(['b', 'a']);
  });

  it('runs one change at a time', async () => {
    const steps: string[] = [];
    const change = (name: string) =>
      catalog.change(async (changes) => {
        steps.push(`${name} begins`);
        await changes.insert(draft(name));
        steps.push(`${name} ends`);
      });
    await Promise.all([change('a'), change('b')]);
    expect(steps).to.deep.equal(['a begins', 'a ends', 'b begins', 'b ends']);
  });

  it('does all of several writes, or nothing', async () => {
    await writes(prompt('a', 5n));
    // No two versions have one transaction id.
    await rejection(writes(prompt('b', 6n), prompt('c', 5n)));
    expect(slugs()).to.deep.equal(['a']);
    await writer.close();
    await open();
    expect(slugs()).to.deep.equal(['a']);
    await writes(prompt('b', 6n), prompt('c', 7n));
    expect(slugs()).to.deep.equal(['a', 'b', 'c']);
  });

  it('refuses an object with too much JSON, except when it is deleted', async () => {
    const small = await catalog.change((changes) => changes.insert(sized('a', 0)));
    const longest = objectBytesMax - small.length;
    await catalog.change((changes) => changes.insert(sized('b', longest)));
    const tooLong = catalog.change((changes) => changes.insert(sized('c', longest + 1)));
    const words = `bytes of JSON, the limit is ${objectBytesMax}`;
    expect(await rejection(tooLong)).to.include({
      status: 400,
      message: `the project "c" has ${objectBytesMax + 1} ${words}`,
    });
    const more = catalog.change(async (changes) => {
      const fields = await catalog.fields(holder('b')!.id);
      return changes.replace(holder('b')!, new Map([...fields, ['description', 'more']]));
    });
    expect(await rejection(more)).to.include({
      status: 400,
      message: `the project "b" has ${objectBytesMax + 2} ${words}`,
    });
    await catalog.change((changes) => changes.remove(holder('b')!));
    expect(names()).to.deep.equal(['a']);
  });

  it('refuses an object with too many values, except when it is deleted', async () => {
    const { max } = limits.objectValues;
    const made = (name: string, count: number) =>
      catalog.change((changes) => changes.insert({ ...draft(name), set: numbered(count) }));
    const { length: others } = Object.keys(JSON.parse(await made('a', 0)) as object);
    await made('b', max - others - 1);
    const words = `expected at most ${max} members and elements, got more`;
    expect(await rejection(made('c', max - others))).to.include({
      status: 400,
      message: `the project "c": ${words}`,
    });
    const more = catalog.change(async (changes) => {
      const fields = await catalog.fields(holder('b')!.id);
      return changes.replace(holder('b')!, new Map([...fields, ['description', ['more']]]));
    });
    expect(await rejection(more)).to.include({
      status: 400,
      message: `the project "b": ${words}`,
    });
    await catalog.change((changes) => changes.remove(holder('b')!));
    expect(names()).to.deep.equal(['a']);
  });

  it('keeps the versions of an object across a restart, and goes on after the last', async () => {
    const asOf = async (version: bigint) => {
      const headers = catalog.list('prompt', { ...everything, version });
      return [...(await catalog.bodies(headers)).values()];
    };
    const made = { ...draft('a'), kind: 'prompt', slug: 's', xactId: 5n } as const;
    const fields = new Map([['name', 'b']]);
    const first = await catalog.change((changes) => changes.insert(made));
    const [header] = catalog.list('prompt', everything);
    await catalog.change((changes) => changes.replace({ ...header!, xactId: 7n }, fields));
    const [renamed] = catalog.list('prompt', everything);
    await catalog.change((changes) => changes.remove({ ...renamed!, xactId: 9n }));
    const seen = () => Promise.all([4n, 5n, 6n, 7n, 8n, 9n, 10n].map(asOf));
    const second = '{"name":"b","_xact_id":"7"}';
    const expected = [[], [first], [first], [second], [second], [], []];
    expect(await seen()).to.deep.equal(expected);
    await writer.close();
    await open();
    expect(await seen()).to.deep.equal(expected);
    expect(catalog.lastXactId).to.equal(9n);
  });

  it('is the same after a restart', async () => {
    await insert('a');
    await insert('b');
    await insert('c');
    const [, b, a] = catalog.list('project', everything);
    await catalog.change((changes) => changes.remove(b!));
    await catalog.change((changes) => changes.replace(a!, new Map([['name', 'renamed']])));
    const before = catalog.list('project', everything);
    await writer.close();
    await open();
    expect(catalog.list('project', everything)).to.deep.equal(before);
    expect(names()).to.deep.equal(['c', 'renamed']);
    expect(catalog.header(b!.id)).to.include({ name: 'b', deleted: true });
    expect(holder('renamed')?.id).to.equal(a!.id);
    expect(holder('b')).to.equal(undefined);
    expect(await catalog.body(a!.id)).to.equal('{"name":"renamed"}');
  });
});
