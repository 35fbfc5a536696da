// Which keys are valid, start after start.
import path from 'node:path';
import { expect } from 'chai';
import { Accounts, openAccounts, ownerOf } from '../../src/catalog/accounts.js';
import { Catalog } from '../../src/catalog/catalog.js';
import { Writer } from '../../src/duckdb/writer.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

describe('keys', () => {
  const directory = temporaryDirectory();

  async function use<T>(work: (writer: Writer, catalog: Catalog) => Promise<T>): Promise<T> {
    const file = path.join(directory(), 'meta.duckdb');
    const writer = await Writer.open(file, { memoryMb: 100, threads: 1 });
    try {
      return await work(writer, await Catalog.open(writer));
    } finally {
      await writer.close();
    }
  }

  const start = (apiKey: string | null) =>
    use((writer, catalog) => openAccounts(writer, catalog, { apiKey, org: 'o' }));
  const add = () =>
    use(async (writer, catalog) =>
      (await Accounts.open(writer, catalog)).addKey(ownerOf(catalog)!),
    );

  async function validOf(configured: string | null, keys: readonly string[]) {
    const { accounts } = await start(configured);
    return keys.filter((key) => accounts.principal(key) !== undefined);
  }

  it('end with the setting that named them, and none besides', async () => {
    const generated = (await start(null)).generatedKey!;
    const { key: added } = await add();
    const keys = [generated, added, 'first', 'second'];
    const kept = [generated, added];
    expect(await validOf(null, keys)).to.deep.equal(kept);
    expect(await validOf('first', keys)).to.deep.equal([...kept, 'first']);
    expect(await validOf('first', keys)).to.deep.equal([...kept, 'first']);
    expect(await validOf('second', keys)).to.deep.equal([...kept, 'second']);
    expect(await validOf(null, keys)).to.deep.equal([...kept, 'second']);
    expect(await validOf(added, keys)).to.deep.equal(kept);
    expect(await validOf('first', keys)).to.deep.equal([...kept, 'first']);
  });

  it('end at once when they are revoked, however often they were used', () =>
    use(async (writer, catalog) => {
      const { accounts, generatedKey } = await openAccounts(writer, catalog, {
        apiKey: null,
        org: 'o',
      });
      const owner = ownerOf(catalog)!;
      const first = await accounts.addKey(owner, 'a secret');
      const keyIdOf = (secret: string) => accounts.principal(secret)?.keyId;
      expect([keyIdOf('a secret'), keyIdOf('a secret')]).to.deep.equal([first.id, first.id]);
      await accounts.revoke(first.id);
      expect([keyIdOf('a secret'), keyIdOf('a secret')]).to.deep.equal([undefined, undefined]);
      // A later key can have the same secret.
      const second = await accounts.addKey(owner, 'a secret');
      expect(keyIdOf('a secret')).to.equal(second.id);
      expect(keyIdOf(generatedKey!)).to.be.a('string');
    }));

  it('stay deleted when the setting still names them', async () => {
    expect(await validOf('first', ['first'])).to.deep.equal(['first']);
    await use(async (writer, catalog) => {
      const accounts = await Accounts.open(writer, catalog);
      await accounts.revoke(accounts.keys()[0]!.id);
    });
    for (let starts = 0; starts < 2; starts++) {
      expect((await start('first')).isKeyDeleted).to.equal(true);
      expect(await validOf('first', ['first'])).to.deep.equal([]);
    }
    expect((await start('second')).isKeyDeleted).to.equal(false);
    expect(await validOf('second', ['first', 'second'])).to.deep.equal(['second']);
    expect(await validOf('first', ['first', 'second'])).to.deep.equal([]);
  });

  it('that have expired are valid again when the setting names them', async () => {
    await start('first');
    await use(async (writer, catalog) => {
      const accounts = await Accounts.open(writer, catalog);
      const { write } = accounts.newKey(
        {
          kind: 'api_key',
          orgId: catalog.grants.organisationsOf(ownerOf(catalog)!)[0]!,
          projectId: null,
          userId: ownerOf(catalog)!,
          name: 'short',
          slug: null,
          xactId: null,
          fields: new Map(),
          set: new Map([
            ['org_id', null],
            ['expires', '2020-01-01T00:00:00Z'],
          ]),
        },
        'expired',
      );
      await catalog.change((changes) => changes.all([write]));
    });
    expect(await validOf(null, ['expired'])).to.deep.equal([]);
    for (let starts = 0; starts < 2; starts++) {
      expect((await start('expired')).isKeyDeleted).to.equal(false);
      expect(await validOf('expired', ['expired'])).to.deep.equal(['expired']);
    }
  });
});
