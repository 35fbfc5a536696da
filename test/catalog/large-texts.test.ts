// Large texts of objects are in files, which their rows name.
import { expect } from 'chai';
import { readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { checkBodyFiles, inRowBytesMax } from '../../src/catalog/body-files.js';
import { Catalog, type ObjectDraft } from '../../src/catalog/catalog.js';
import { sql } from '../../src/duckdb/sql.js';
import { Writer } from '../../src/duckdb/writer.js';
import { UnknownOutcomeError } from '../../src/errors.js';
import type { JsonValue } from '../../src/json/json.js';
import { rejection } from '../support/rejection.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { draft, everything, prompt, sized } from './drafts.js';

/** The names of the objects whose bodies are read together. */
async function groupsIn(catalog: Catalog): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const bodies of catalog.bodyGroups(catalog.list('project', everything)))
    found.push([...bodies.keys()].map(({ name }) => name).join(''));
  return found;
}

const large = (name: string): ObjectDraft => sized(name, inRowBytesMax);

describe('a large text of an object', () => {
  const directory = temporaryDirectory();
  let writer: Writer;
  let catalog: Catalog;

  const open = async () => {
    const settings = { memoryMb: 200, threads: 1 };
    writer = await Writer.open(path.join(directory(), 'meta.duckdb'), settings);
    catalog = await Catalog.open(writer);
  };
  beforeEach(open);
  afterEach(() => writer.close());

  const holder = (name: string) => catalog.objectWithKey(draft(name));
  const writes = (...drafts: readonly ObjectDraft[]) =>
    catalog.change((changes) => changes.all(drafts.map((each) => ({ draft: each }))));
  const found = (commit: string) => catalog.experimentsAt('p', [commit]);
  const check = () => writer.use((connection) => checkBodyFiles(directory(), connection));
  const objectFiles = () => path.join(directory(), 'objects');
  const filesThere = async () => (await readdir(objectFiles()).catch(() => [])).length;
  const rowBytes = async () => {
    const rows = await writer.read(sql`
      SELECT strlen(body) AS bytes FROM catalog_object UNION ALL
      SELECT strlen(body) AS bytes FROM object_version`);
    return rows.map(({ bytes }) => Number(bytes));
  };
  const described = (name: string, description: string) =>
    catalog.change(async (changes) => {
      const fields = await catalog.fields(holder(name)!.id);
      return changes.replace(holder(name)!, new Map([...fields, ['description', description]]));
    });
  const textOf = (name: string) => catalog.body(holder(name)!.id);

  it('is in a file, which the next write replaces', async () => {
    const first = await catalog.change((changes) => changes.insert(large('a')));
    expect(await filesThere()).to.equal(1);
    expect(await rowBytes()).to.deep.equal([2]);
    expect(await textOf('a')).to.equal(first);
    const second = await described('a', 'new');
    expect(await filesThere()).to.equal(1);
    expect(await textOf('a')).to.equal(second);
    await described('a', 'new');
    await writer.close();
    await open();
    expect(await textOf('a')).to.equal(second);
    const fields = new Map([['name', 'a']]);
    const small = await catalog.change((changes) => changes.replace(holder('a')!, fields));
    expect(await textOf('a')).to.equal(small);
    expect(await filesThere()).to.equal(0);
  });

  it('is in the row up to a limit', async () => {
    const [empty] = await writes(sized('a', 0));
    await writes(sized('b', inRowBytesMax - empty!.length));
    expect(await filesThere()).to.equal(0);
    await writes(sized('c', inRowBytesMax - empty!.length + 1));
    expect(await filesThere()).to.equal(1);
  });

  it('of a versioned kind stays as long as the version', async () => {
    const longer = new Map([['description', 'x'.repeat(inRowBytesMax)]]);
    const made = { ...prompt('s', 5n), set: longer };
    const first = await catalog.change((changes) => changes.insert(made));
    const header = catalog.objectWithKey(made)!;
    const replaced = { ...header, xactId: 7n };
    await catalog.change((changes) => changes.replace(replaced, new Map([['name', 'b']])));
    const before = catalog.headerAsOf(header, 6n)!;
    expect([...(await catalog.bodies([before])).values()]).to.deep.equal([first]);
    expect(await filesThere()).to.equal(1);
  });

  it('does not hide the fields by which objects are found', async () => {
    for (const commit of ['c'.repeat(40), 'd'.repeat(inRowBytesMax)]) {
      const set = new Map<string, JsonValue>([
        ['metadata', { text: 'x'.repeat(inRowBytesMax) }],
        ['commit', commit],
      ]);
      await writes({ ...draft(commit.slice(0, 8)), kind: 'experiment', projectId: 'p', set });
    }
    expect(await found('c'.repeat(40))).to.have.lengthOf(1);
    expect(await found('d'.repeat(inRowBytesMax))).to.deep.equal([]);
    const bytes = await rowBytes();
    expect(bytes.every((length) => length < 100)).to.equal(true);
  });

  it('leaves no file if the transaction fails, and keeps the old one', async () => {
    const first = await catalog.change((changes) => changes.insert(large('a')));
    await writer.transaction((connection) =>
      connection.run(sql`ALTER TABLE audit_entry RENAME TO elsewhere`),
    );
    await rejection(described('a', 'new'));
    const same = catalog.change(async (changes) =>
      changes.replace(holder('a')!, await catalog.fields(holder('a')!.id)),
    );
    await rejection(same);
    await rejection(writes(large('b')));
    expect(await filesThere()).to.equal(1);
    expect(await textOf('a')).to.equal(first);
  });

  it('keeps its file if it may be stored', async () => {
    const transaction = writer.transaction.bind(writer);
    writer.transaction = () => Promise.reject(new UnknownOutcomeError(null));
    await rejection(writes(large('a')));
    writer.transaction = transaction;
    expect(await filesThere()).to.equal(1);
  });

  it('is found if a change replaces the file between the row and the file', async () => {
    const read = writer.read.bind(writer);
    const changed = async (query: () => Promise<string | undefined>, description: string) => {
      let text = '';
      writer.read = async (statement) => {
        writer.read = read;
        const rows = await read(statement);
        text = await described('a', description);
        return rows;
      };
      expect(await query()).to.equal(text);
    };
    await writes(large('a'));
    await changed(() => textOf('a'), 'first');
    const [header] = catalog.list('project', everything);
    await changed(async () => (await catalog.bodies([header!])).get(header!), 'second');
  });

  it('is refused if its file is missing or damaged, and named by the check', async () => {
    const file = async () => (await readdir(objectFiles()))[0]!;
    const message = async () =>
      `the file objects/${await file()} is missing or damaged: restore it from a backup`;
    await writes(large('a'));
    expect(await check()).to.deep.equal([]);
    const expected = await message();
    await writeFile(path.join(objectFiles(), await file()), '{"name":"a"}');
    expect(await rejection(textOf('a'))).to.include({ status: 503, message: expected });
    expect(await rejection(groupsIn(catalog))).to.include({ status: 503, message: expected });
    expect(await check()).to.deep.equal([expected]);
    await rm(path.join(objectFiles(), await file()));
    expect(await rejection(textOf('a'))).to.include({ status: 503, message: expected });
    expect(await check()).to.deep.equal([expected]);
  });

  it('of an access object is there after a restart, and needed for it', async () => {
    const member_users = Array.from({ length: inRowBytesMax / 4 }, (_, index) => `u${index}`);
    const set = new Map([['member_users', member_users]]);
    await writes({ ...draft('a'), id: 'g', kind: 'group', set });
    await writer.close();
    await open();
    expect(catalog.accessFields('g')).to.deep.include({ member_users });
    const [file = ''] = await readdir(objectFiles());
    await rm(path.join(objectFiles(), file));
    await writer.close();
    expect(await rejection(open())).to.include({
      message: `the file objects/${file} is missing or damaged: restore it from a backup`,
    });
  });

  it('is read in a group of limited size', async () => {
    await writes(...['a', 'b', 'c', 'd', 'e'].map((name) => sized(name, 2 ** 20)));
    await writes(...['f', 'g', 'h', 'i', 'j', 'k'].map(draft));
    expect(await groupsIn(catalog)).to.deep.equal(['kjihgfedc', 'ba']);
  });
});
