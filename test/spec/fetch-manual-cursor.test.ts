// The deprecated manual cursor: a page as of its tuple, and the cursor that goes on from there.
import { expect } from 'chai';
import { createProject } from '../support/objects.js';
import { sharedServer } from '../support/start-server.js';

interface Event {
  readonly id: string;
  readonly _xact_id: string;
  readonly root_span_id: string;
  readonly output: unknown;
}

interface Page {
  readonly events: readonly Event[];
  readonly cursor: string | null;
}

describe('max_xact_id and max_root_span_id', () => {
  const server = sharedServer();
  let logs: string;

  const insert = (event: object) => server().request('POST', `${logs}/insert`, { events: [event] });

  const fetchPage = async (body: object): Promise<Page> =>
    (await server().post(`${logs}/fetch`, body)) as unknown as Page;

  beforeEach(async () => {
    const name = `manual ${Math.random()}`;
    const { id: projectId } = await createProject(server(), { name });
    logs = `/v1/project_logs/${projectId}`;
    for (const id of ['a', 'b', 'c']) await insert({ id });
  });

  async function tuple() {
    const [newest] = (await fetchPage({ limit: 1 })).events;
    return { max_xact_id: newest?._xact_id, max_root_span_id: newest?.root_span_id };
  }

  it('shows rows as of the tuple, so that a row merged since is not missed', async () => {
    const place = await tuple();
    await insert({ id: 'a', _is_merge: true, output: 'merged' });
    const { events } = await fetchPage(place);
    expect(events.map(({ id, output }) => [id, output])).to.deep.equal([
      ['b', null],
      ['a', null],
    ]);
  });

  it('leaves out what is deleted since', async () => {
    const place = await tuple();
    await insert({ id: 'a', _object_delete: true });
    expect((await fetchPage(place)).events.map(({ id }) => id)).to.deep.equal(['b']);
  });

  it('gives a cursor that goes on as of the tuple', async () => {
    const place = await tuple();
    await insert({ id: 'a', _is_merge: true, output: 'merged' });
    const first = await fetchPage({ ...place, limit: 1 });
    expect(first.events.map(({ id }) => id)).to.deep.equal(['b']);
    const second = await fetchPage({ cursor: first.cursor, limit: 1 });
    expect(second.events.map(({ id, output }) => [id, output])).to.deep.equal([['a', null]]);
  });

  it('gives a cursor that leaves out what was deleted before the first page, and nothing deleted since', async () => {
    await insert({ id: 'd' });
    const place = await tuple();
    await insert({ id: 'a', _object_delete: true });
    const first = await fetchPage({ ...place, limit: 1 });
    expect(first.events.map(({ id }) => id)).to.deep.equal(['c']);
    await insert({ id: 'b', _object_delete: true });
    const second = await fetchPage({ cursor: first.cursor, limit: 1 });
    expect(second.events.map(({ id }) => id)).to.deep.equal(['b']);
    expect(second.cursor).to.equal(null);
  });

  it('in the future gives a cursor that is pinned to the first page', async () => {
    const future = { max_xact_id: String(2n ** 62n), max_root_span_id: 'any' };
    const first = await fetchPage({ ...future, limit: 1 });
    expect(first.events.map(({ id }) => id)).to.deep.equal(['c']);
    await insert({ id: 'a', _is_merge: true, output: 'merged' });
    const second = await fetchPage({ cursor: first.cursor, limit: 2 });
    expect(second.events.map(({ id, output }) => [id, output])).to.deep.equal([
      ['b', null],
      ['a', null],
    ]);
  });

  it('with a version is pinned to it', async () => {
    const place = await tuple();
    const merged = (await insert({ id: 'a', _is_merge: true, output: 'merged' })).headers.get(
      'x-evalstore-version',
    );
    const { events } = await fetchPage({ ...place, version: merged });
    expect(events.map(({ id }) => id)).to.deep.equal(['b']);
  });
});
