// Lists of objects while they are sent.
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { expect } from 'chai';
import { openAccounts } from '../../src/catalog/accounts.js';
import { Catalog, type ObjectDraft } from '../../src/catalog/catalog.js';
import { everything } from '../../src/catalog/list-page.js';
import { Writer } from '../../src/duckdb/writer.js';
import type { KeyCaller, Services } from '../../src/service/context.js';
import { listObjects } from '../../src/service/object/object-list.js';
import type { Reply, StreamedReply } from '../../src/service/reply.js';
import { findSnapshots } from '../../src/service/sdk/dataset-snapshots.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

/** Longer than what is sent together. */
const description = 'x'.repeat(2 ** 17);

const partsOf = (reply: Reply): AsyncIterator<string> =>
  ((reply as StreamedReply).body as AsyncIterable<string>)[Symbol.asyncIterator]();

async function rest(iterator: AsyncIterator<string>): Promise<readonly string[]> {
  const found: string[] = [];
  for (let part = await iterator.next(); part.done !== true; part = await iterator.next())
    found.push(part.value);
  return found;
}

const namesIn = (texts: readonly string[]) =>
  (JSON.parse(texts.join('')) as { objects: { name: string }[] }).objects.map(({ name }) => name);

describe('lists that are being sent', () => {
  const directory = temporaryDirectory();
  let writer: Writer;
  let services: Services;
  let caller: KeyCaller;

  beforeEach(async () => {
    const file = path.join(directory(), 'meta.duckdb');
    writer = await Writer.open(file, { memoryMb: 100, threads: 1 });
    const catalog = await Catalog.open(writer);
    const { accounts } = await openAccounts(writer, catalog, { apiKey: 'a key', org: 'o' });
    services = { catalog, accounts } as Services;
    caller = { ...accounts.principal('a key')!, permission: 'read', requestId: 'r' };
    const drafts = 'abcdefghi'.split('').map((name): { draft: ObjectDraft } => ({
      draft: {
        kind: 'project',
        orgId: caller.orgIds[0]!,
        projectId: null,
        userId: caller.userId,
        name,
        slug: null,
        xactId: null,
        fields: new Map([['description', description]]),
      },
    }));
    await catalog.change((changes) => changes.all(drafts));
  });
  afterEach(() => writer.close());

  const parts = async (request: object): Promise<AsyncIterator<string>> => {
    const none = { orgName: null, orgId: null, filters: {} };
    const reply = await listObjects(services, caller, 'project', {
      ...everything,
      ...none,
      ...request,
    });
    return partsOf(reply);
  };

  it('never have two long texts in one string', async () => {
    const texts = await rest(await parts({}));
    expect(namesIn(texts)).to.deep.equal('ihgfedcba'.split(''));
    for (const text of texts) expect(text.length).to.be.lessThan(2 * description.length);
  });

  it('of snapshots are sent in parts, too', async () => {
    const { catalog } = services;
    const bare = { orgId: caller.orgIds[0]!, userId: caller.userId, slug: null, xactId: null };
    const datasetId = randomUUID();
    const dataset = {
      ...bare,
      id: datasetId,
      kind: 'dataset',
      projectId: null,
      name: 'd',
    } as const;
    const snapshot = (name: string, xactId: string): { draft: ObjectDraft } => {
      const fields = new Map([
        ['dataset_id', datasetId],
        ['description', description],
        ['xact_id', xactId],
      ]);
      return { draft: { ...bare, kind: 'dataset_snapshot', projectId: null, name, fields } };
    };
    await catalog.change(async (changes) => {
      await changes.insert({ ...dataset, fields: new Map() });
      await changes.all([snapshot('a', '1'), snapshot('b', '2'), snapshot('c', '1')]);
    });
    const reply = await findSnapshots(
      services,
      caller,
      new Map([
        ['dataset_id', datasetId],
        ['xact_id', '1'],
      ]),
    );
    const texts = await rest(partsOf(reply));
    expect(
      (JSON.parse(texts.join('')) as { name: string }[]).map(({ name }) => name),
    ).to.deep.equal(['c', 'a']);
    for (const text of texts) expect(text.length).to.be.lessThan(2 * description.length);
  });

  it('show nothing that is deleted meanwhile, but pages are complete', async () => {
    const { catalog } = services;
    /** The names in the list if these objects are deleted once its first part is sent. */
    const without = async (removed: string, request: object) => {
      const iterator = await parts(request);
      const first = (await iterator.next()).value as string;
      const headers = catalog.ofKind('project').filter(({ name }) => removed.includes(name));
      await catalog.change((changes) =>
        changes.all(headers.map((header) => ({ removed: header }))),
      );
      return namesIn([first, ...(await rest(iterator))]).join('');
    };
    expect(await without('c', {})).to.equal('ihgfedba');
    expect(await without('ed', { limit: 6 })).to.equal('ihgfed');
  });
});
