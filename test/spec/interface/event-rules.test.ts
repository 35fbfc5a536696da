// The rules of inserts and fetches, each asked of a server.
import { expect } from 'chai';
import { sharedServer } from '../../support/start-server.js';
import { eventObject, insert, type Json } from './probe.js';

const shortForm = (xactId: string): string =>
  ((BigInt(xactId) * 205891132094649n) % 2n ** 64n).toString(16).padStart(16, '0');

describe('rules of events', () => {
  const server = sharedServer();
  let id: string;

  beforeEach(async () => {
    id = await eventObject(server(), 'experiment');
  });

  const add = (...events: readonly Json[]): Promise<string> =>
    insert(server(), 'experiment', id, ...events);

  const fetched = async (search = ''): Promise<Json & { readonly events: readonly Json[] }> =>
    (await server().get(`/v1/experiment/${id}/fetch${search}`)) as Json & {
      readonly events: readonly Json[];
    };

  const idsOf = async (search: string): Promise<readonly unknown[]> =>
    (await fetched(search)).events.map(({ id: row }) => row);

  const find = async (
    ...filters: readonly (readonly [path: readonly string[], value: unknown])[]
  ): Promise<ReadonlySet<unknown>> => {
    const { events } = await server().post(`/v1/experiment/${id}/fetch`, {
      filters: filters.map(([path, value]) => ({ type: 'path_lookup', path, value })),
    });
    return new Set((events as readonly Json[]).map(({ id: row }) => row));
  };

  it('what is read only in fetched rows is ignored', async () => {
    await add({
      id: 'a',
      _xact_id: '1',
      project_id: 'x',
      experiment_id: 'x',
      log_id: 'x',
      is_root: false,
      comments: [],
      audit_data: [],
      facets: {},
      _audit_source: 'app',
      _pagination_key: 'k',
    });
    expect((await fetched()).events[0]).to.include({ id: 'a', is_root: true });
  });

  it('without an id a UUID is made, and row_ids are in the order of the request', async () => {
    const answer = await server().request('POST', `/v1/experiment/${id}/insert`, {
      events: [{ id: 'z' }, {}, { id: 'a', _object_delete: true }],
    });
    const rows = answer.json()['row_ids'] as readonly string[];
    expect([rows[0], rows[2]]).to.deep.equal(['z', 'a']);
    expect(rows[1]).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-4/);
  });

  it('without span fields one UUID is both ids', async () => {
    await add({ id: 'a' });
    const [row] = (await fetched()).events;
    expect(row?.['span_id']).to.match(/^[0-9a-f]{8}-/);
    expect(row?.['root_span_id']).to.equal(row?.['span_id']);
  });

  it('root_span_id alone gets a new span_id', async () => {
    await add({ id: 'a', root_span_id: 'R' });
    const [row] = (await fetched()).events;
    expect(row).to.include({ root_span_id: 'R' });
    expect(row?.['span_id']).to.match(/^[0-9a-f]{8}-/);
  });

  it('transaction ids have 19 digits, the time in the middle, and grow', async () => {
    const before = Math.floor(Date.now() / 1000);
    await add({ id: 'a' });
    await add({ id: 'b' });
    const [later, earlier] = (await fetched()).events.map(({ _xact_id }) => _xact_id as string);
    expect(earlier).to.match(/^\d{19}$/);
    expect(later! > earlier!).to.equal(true);
    expect(BigInt(earlier!) >> 48n).to.equal(0x0de1n);
    expect(Number((BigInt(earlier!) >> 16n) & 0xffffffffn)).to.be.at.least(before);
  });

  it('a version is taken in both spellings, and one in the future means now', async () => {
    const version = await add({ id: 'a' });
    await add({ id: 'b' });
    expect(await idsOf(`?version=${version}`)).to.deep.equal(['a']);
    expect(await idsOf(`?version=${shortForm(version)}`)).to.deep.equal(['a']);
    expect(await idsOf('?version=1199999999999999999')).to.deep.equal(['b', 'a']);
    expect(shortForm('1000192656880881099')).to.equal('81cd05ee665fdfb3');
  });

  it('a deleted row is still there for a version before', async () => {
    const version = await add({ id: 'a' });
    await add({ id: 'a', _object_delete: true });
    expect(await idsOf(`?version=${version}`)).to.deep.equal(['a']);
    expect(await idsOf('')).to.deep.equal([]);
  });

  it('x-evalstore-version reproduces the answer, also after a delete', async () => {
    await add({ id: 'a' }, { id: 'b' });
    await add({ id: 'a', _object_delete: true });
    const path = `/v1/experiment/${id}/fetch`;
    const first = await server().request('GET', path);
    await add({ id: 'c' });
    const version = first.headers.get('x-evalstore-version') ?? '';
    expect((await server().request('GET', `${path}?version=${version}`)).text).to.equal(first.text);
  });

  it('a page ends before the first row of the trace after the limit', async () => {
    await add({ id: 'old', root_span_id: 'A' });
    await add({ id: 'b', root_span_id: 'B' });
    await add({ id: 'new', root_span_id: 'A' });
    expect(await idsOf('?limit=1')).to.deep.equal(['new']);
    expect(await idsOf('?limit=2')).to.deep.equal(['new', 'b', 'old']);
  });

  it('a cursor pins the snapshot of the first page, and is null at the end', async () => {
    await add({ id: 'a' });
    await add({ id: 'b' });
    const { cursor } = await fetched('?limit=1');
    await add({ id: 'a', input: 'changed' });
    const page = await fetched(`?limit=1&cursor=${cursor as string}`);
    expect(page.events.map(({ id: row, input }) => [row, input])).to.deep.equal([['a', null]]);
    expect(page['cursor']).to.equal(null);
  });

  it('limit 0 answers no events and no cursor', async () => {
    await add({ id: 'a' });
    expect(await fetched('?limit=0')).to.deep.equal({ events: [], cursor: null });
  });

  it('a cursor of another object is refused', async () => {
    await add({ id: 'a' });
    await add({ id: 'b' });
    const { cursor } = await fetched('?limit=1');
    const other = await eventObject(server(), 'experiment');
    const answer = await server().request(
      'GET',
      `/v1/experiment/${other}/fetch?cursor=${cursor as string}`,
    );
    expect([answer.status, answer.text.includes('cursor')]).to.deep.equal([400, true]);
  });

  it('path_lookup compares as JSON, null matches absent, and filters combine with and', async () => {
    await add({ id: 'a', metadata: { o: { x: 1, y: 2 }, k: 1 } }, { id: 'b', metadata: { k: 1 } });
    expect(await find([['metadata', 'o'], { y: 2, x: 1 }])).to.deep.equal(new Set(['a']));
    expect(await find([['metadata', 'o'], null])).to.deep.equal(new Set(['b']));
    expect(await find([['metadata', 'k'], 1])).to.deep.equal(new Set(['a', 'b']));
    expect(await find([['metadata', 'k'], 1], [['metadata', 'o'], null])).to.deep.equal(
      new Set(['b']),
    );
  });
});
