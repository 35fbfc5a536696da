// Versions of datasets: transaction ids, snapshots, and the way back to a version.
import { expect } from 'chai';
import {
  createDataset,
  createProject,
  listObjects,
  type StoredObject,
} from '../../support/objects.js';
import { shortXactId } from '../../support/short-xact-id.js';
import { sharedServer, type Json } from '../../support/start-server.js';

describe('versions of datasets', () => {
  const server = sharedServer();
  let dataset: StoredObject;

  beforeEach(async () => {
    const { id: project_id } = await createProject(server());
    dataset = await createDataset(server(), { project_id });
  });

  const post = (path: string, body: unknown) => server().request('POST', path, body);

  const insert = (...events: readonly Json[]) =>
    post(`/v1/dataset/${dataset.id}/insert`, { events });

  const present = async () => (await server().request('GET', '/xact-id')).text;

  const records = async (version = '') => {
    const search = version === '' ? '' : `?version=${version}`;
    const answer = await server().request('GET', `/v1/dataset/${dataset.id}/fetch${search}`);
    return answer.json()['events'] as readonly Json[];
  };

  const content = async (version = '') =>
    (await records(version))
      .map((event) => Object.entries(event).filter(([name]) => name !== '_xact_id'))
      .map((members): Json => Object.fromEntries(members))
      .toSorted((a, b) => (String(a['id']) < String(b['id']) ? -1 : 1));

  const snapshot = async (fields: Json = {}) => {
    const body = { dataset_id: dataset.id, dataset_snapshot_name: 's', xact_id: '1', ...fields };
    return (await post('/api/dataset_snapshot/register', body)).json() as {
      readonly dataset_snapshot: StoredObject;
      readonly found_existing: boolean;
    };
  };

  it('a transaction id holds what was stored before it, and nothing later', async () => {
    await insert({ id: 'a' });
    const between = await present();
    await insert({ id: 'b' });
    expect((await records(between)).map(({ id }) => id)).to.deep.equal(['a']);
    const [latest] = await records();
    expect(await present()).to.equal(latest?.['_xact_id']);
  });

  it('restoring one brings back what was changed and deleted, and deletes what was added', async () => {
    const metadata = { b: 1, a: [12345] };
    await insert(
      { id: 'same', input: 0 },
      { id: 'changed', input: 1, metadata, tags: ['t'], created: '2020-01-01' },
      { id: 'deleted', input: 2 },
    );
    const version = await present();
    const before = await content();
    await insert(
      { id: 'changed', input: 'other' },
      { id: 'deleted', _object_delete: true },
      { id: 'added' },
    );
    const later = await present();
    const changed = await content();
    const preview = await post(`/v1/dataset/${dataset.id}/restore/preview`, { version });
    expect(preview.json()).to.deep.equal({ rows_to_restore: 2, rows_to_delete: 1 });
    expect(await content(), 'a preview changes nothing').to.deep.equal(changed);
    const restored = (await post(`/v1/dataset/${dataset.id}/restore`, { version })).json();
    expect(restored).to.deep.include({ rows_restored: 2, rows_deleted: 1 });
    expect(await content()).to.deep.equal(before);
    expect(await content(later), 'the version between stays').to.deep.equal(changed);
    const ids = (await records()).filter(({ _xact_id }) => _xact_id === restored['xact_id']);
    expect(new Set(ids.map(({ id }) => id))).to.deep.equal(new Set(['changed', 'deleted']));
    const again = await post(`/v1/dataset/${dataset.id}/restore`, { version });
    expect(again.json()).to.deep.equal({ xact_id: null, rows_restored: 0, rows_deleted: 0 });
  });

  it('restoring to before the first record empties the dataset, and keeps every digit', async () => {
    const events = '{"events":[{"id":"a","input":{"b":1,"10":12345678901234567890}}]}';
    await post(`/v1/dataset/${dataset.id}/insert`, events);
    const version = await present();
    const text = async () =>
      (await server().request('GET', `/v1/dataset/${dataset.id}/fetch`)).text;
    const before = (await text()).replace(/"_xact_id":"\d+"/, '');
    await post(`/v1/dataset/${dataset.id}/restore`, { version: '1' });
    expect(await records()).to.deep.equal([]);
    await post(`/v1/dataset/${dataset.id}/restore`, { version });
    expect((await text()).replace(/"_xact_id":"\d+"/, '')).to.equal(before);
  });

  it('a snapshot is made once for each name, and moved by an update alone', async () => {
    const first = await snapshot({ description: 'first' });
    expect(first.found_existing).to.equal(false);
    const found = await snapshot({ xact_id: '2', description: 'second' });
    expect(found).to.deep.equal({ ...first, found_existing: true });
    const { dataset_snapshot } = await snapshot({ xact_id: '2', update: true });
    expect(dataset_snapshot).to.deep.equal({ ...first.dataset_snapshot, xact_id: '2' });
    const other = await createDataset(server());
    const elsewhere = await snapshot({ dataset_id: other.id });
    expect(elsewhere.found_existing, 'names are those of a dataset').to.equal(false);
  });

  it('snapshots are listed under both of their paths', async () => {
    const ids = [await present(), shortXactId(BigInt(await present()) - 1n)] as const;
    const a = await snapshot({ xact_id: ids[0] });
    const b = await snapshot({ dataset_snapshot_name: 't', xact_id: ids[1] });
    const newestFirst = [b.dataset_snapshot, a.dataset_snapshot];
    const path = `/v1/dataset_snapshot?dataset_id=${dataset.id}`;
    expect(await listObjects(server(), path)).to.deep.equal(newestFirst);
    const find = async (body: Json) =>
      (await post('/api/dataset_snapshot/get', { dataset_id: dataset.id, ...body })).json();
    expect(await find({})).to.deep.equal(newestFirst);
    expect(await find({ name: 's', xact_id: ids[1] })).to.deep.equal([]);
    const spellings = [shortXactId(BigInt(ids[0])), String(BigInt(ids[0]) - 1n)] as const;
    expect(await find({ xact_id: spellings[0] }), 'by the short form').to.deep.equal([
      newestFirst[1],
    ]);
    expect(await find({ xact_id: spellings[1] }), 'by the decimal').to.deep.equal([newestFirst[0]]);
  });

  it('snapshots go with their dataset', async () => {
    const { dataset_snapshot } = await snapshot();
    await server().request('DELETE', `/v1/dataset/${dataset.id}`);
    const read = await server().request('GET', `/v1/dataset_snapshot/${dataset_snapshot.id}`);
    expect(read.status).to.equal(403);
    const path = `/v1/dataset_snapshot?dataset_id=${dataset.id}`;
    expect(await listObjects(server(), path)).to.deep.equal([]);
  });
});
