import { expect } from 'chai';
import path from 'node:path';
import { openAccounts } from '../../src/catalog/accounts.js';
import { Catalog } from '../../src/catalog/catalog.js';
import { addOrganisation } from '../../src/catalog/organisations.js';
import { recoverObjects } from '../../src/catalog/recovered-objects.js';
import { Writer } from '../../src/duckdb/writer.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const [p, e, d] = ['11111111-0000', '22222222-0000', '33333333-0000'] as const;
type Kind = 'experiment' | 'dataset' | 'feedback';
const rowsOf = (kind: Kind, id: string, projectId: string, orgId = 'org') => ({
  kind,
  id,
  projectId,
  orgId,
});

describe('objects that the catalog has lost', () => {
  const directory = temporaryDirectory();
  let writer: Writer;

  beforeEach(async () => {
    const file = path.join(directory(), 'meta.duckdb');
    writer = await Writer.open(file, { memoryMb: 256, threads: 1 });
  });
  afterEach(() => writer.close());

  it('are made anew with their projects, in one organisation, under names of their own', async () => {
    const stored = [
      rowsOf('experiment', e, p),
      rowsOf('experiment', `${e}-more`, p),
      rowsOf('dataset', d, d),
      rowsOf('feedback', `feedback:${e}`, p),
    ];
    expect(await recoverObjects(writer, stored, 'Acme')).to.deep.equal([
      { kind: 'project', id: p, name: 'recovered-11111111' },
      { kind: 'experiment', id: e, name: 'recovered-22222222' },
      { kind: 'experiment', id: `${e}-more`, name: `recovered-${e}-more` },
      { kind: 'dataset', id: d, name: 'recovered-33333333' },
    ]);
    const catalog = await Catalog.open(writer);
    expect(catalog.header(d)).to.include({ projectId: null, orgId: 'org' });
    expect(catalog.header(e)).to.include({ projectId: p, orgId: 'org' });
    const { accounts, generatedKey } = await openAccounts(writer, catalog, {
      apiKey: null,
      org: 'Acme',
    });
    expect(accounts.principal(generatedKey!)?.orgIds).to.deep.equal(['org']);
    expect(accounts.organisationName('org')).to.equal('Acme');
    expect(await recoverObjects(writer, stored, 'Acme')).to.deep.equal([]);
  });

  it('are added to a catalog that is there, whose objects stay as they are', async () => {
    const catalog = await Catalog.open(writer);
    const { accounts } = await openAccounts(writer, catalog, { apiKey: 'key', org: 'Acme' });
    const {
      orgIds: [orgId = ''],
      userId,
    } = accounts.principal('key')!;
    const draft = {
      kind: 'project',
      orgId,
      userId,
      projectId: null,
      slug: null,
      xactId: null,
    } as const;
    await catalog.change(async (changes) => {
      await changes.insert({ ...draft, id: p, name: 'kept', fields: new Map() });
      await changes.remove(catalog.header(p)!);
    });
    const recovered = await recoverObjects(writer, [rowsOf('dataset', d, p)], 'other');
    expect(recovered.map(({ id }) => id)).to.deep.equal([d]);
    const opened = await Catalog.open(writer);
    expect(opened.header(p)).to.include({ name: 'kept', deleted: true });
    expect(opened.header(d)).to.include({ orgId, projectId: p });
  });

  it('are in the organisation of their project, else in that of their rows', async () => {
    const catalog = await Catalog.open(writer);
    const first = await addOrganisation(catalog, { name: 'Acme' });
    const second = await addOrganisation(catalog, { name: 'Other' });
    const bare = { projectId: null, slug: null, xactId: null, fields: new Map() };
    await catalog.change((changes) =>
      changes.insert({ ...bare, ...second, kind: 'project', id: p, name: 'kept' }),
    );
    await recoverObjects(
      writer,
      [
        rowsOf('experiment', `${e}-first`, `${p}-first`, first.orgId),
        rowsOf('experiment', `${e}-second`, `${p}-second`, second.orgId),
        rowsOf('experiment', e, p, first.orgId),
        rowsOf('dataset', d, d, second.orgId),
        rowsOf('dataset', `${d}-lost`, `${d}-lost`, 'lost'),
      ],
      'Acme',
    );
    const opened = await Catalog.open(writer);
    const of = (id: string) => opened.header(id)?.orgId;
    const firstIds = [`${e}-first`, `${p}-first`, `${d}-lost`];
    expect(firstIds.map(of)).to.deep.equal(firstIds.map(() => first.orgId));
    const secondIds = [`${e}-second`, `${p}-second`, e, d];
    expect(secondIds.map(of)).to.deep.equal(secondIds.map(() => second.orgId));
    expect((await opened.fields(d)).get('user_id')).to.equal(second.userId);
  });
});
