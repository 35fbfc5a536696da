// The list of a dataset's versions.
import { expect } from 'chai';
import { shortXactId } from '../support/short-xact-id.js';
import { createDataset } from '../support/objects.js';
import { sharedServer, type Json } from '../support/start-server.js';

interface Version {
  readonly xact_id: string;
  readonly created: string;
  readonly rows_written: number;
  readonly rows_deleted: number;
}

describe('the list of a dataset’s versions', () => {
  const server = sharedServer();
  let id: string;

  beforeEach(async () => {
    ({ id } = await createDataset(server()));
  });

  const insert = async (...events: readonly Json[]): Promise<string> => {
    const answer = await server().request('POST', `/v1/dataset/${id}/insert`, { events });
    return answer.headers.get('x-evalstore-version')!;
  };

  const ask = (search = '') => server().request('GET', `/v1/dataset/${id}/versions${search}`);

  const list = async (search = '') => (await ask(search)).json()['objects'] as readonly Version[];

  const listed = async (search: string) => (await list(search)).map(({ xact_id }) => xact_id);

  it('has the rows that each transaction wrote and deleted, newest first', async () => {
    expect(await list()).to.deep.equal([]);
    const before = Date.now();
    const first = await insert({ id: 'a', created: '2020-01-01' }, { id: 'b' });
    const second = await insert({ id: 'a', input: 1 }, { id: 'b', _object_delete: true });
    const third = await insert({ id: 'a', _is_merge: true, tags: ['t'] });
    const versions = await list();
    expect(
      versions.map(({ xact_id, rows_written, rows_deleted }) => [
        xact_id,
        rows_written,
        rows_deleted,
      ]),
    ).to.deep.equal([
      [third, 1, 0],
      [second, 1, 1],
      [first, 2, 0],
    ]);
    for (const { created } of versions)
      expect(Date.parse(created)).to.be.within(before - 1000, Date.now() + 60_000);
    expect((await ask()).headers.get('x-evalstore-version')! >= third).to.equal(true);
  });

  it('is of this dataset alone, and has no feedback', async () => {
    const own = await insert({ id: 'a' });
    const other = await createDataset(server());
    await server().insert(`dataset/${other.id}`, [{ id: 'a' }]);
    const feedback = [{ id: 'a', comment: 'c' }];
    await server().request('POST', `/v1/dataset/${id}/feedback`, { feedback });
    const versions = await listed('');
    expect(versions).to.include(own);
    const fetched = await server().request('GET', `/v1/dataset/${id}/fetch`);
    const [event] = fetched.json()['events'] as readonly Json[];
    expect(versions[0]).to.equal(event?.['_xact_id']);
  });

  it('has pages in both directions', async () => {
    const ids: string[] = [];
    for (const name of ['a', 'b', 'c', 'd']) ids.unshift(await insert({ id: name }));
    const [d, c, b, a] = ids;
    expect(await listed('?limit=2')).to.deep.equal([d, c]);
    expect(await listed(`?limit=2&starting_after=${c}`)).to.deep.equal([b, a]);
    expect(await listed(`?starting_after=${a}`)).to.deep.equal([]);
    expect(await listed(`?limit=2&ending_before=${a}`)).to.deep.equal([c, b]);
    expect(await listed(`?ending_before=${c}`)).to.deep.equal([d]);
    expect(await listed('?limit=0')).to.deep.equal([]);
    const short = shortXactId(BigInt(c!));
    expect(await listed(`?limit=1&starting_after=${short}`)).to.deep.equal([b]);
  });
});
