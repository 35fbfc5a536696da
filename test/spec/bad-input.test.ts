// Bad input over HTTP: the right status, one sentence that names the field, the value and the place, nothing stored.
import { expect } from 'chai';
import { createProject, createNamed } from '../support/objects.js';
import { sharedServer, type RequestOptions } from '../support/start-server.js';

interface Case {
  readonly what: string;
  readonly method?: string;
  readonly path: string;
  readonly body?: unknown;
  readonly options?: RequestOptions;
  readonly status?: number;
  /** `PROJECT` stands for the id of the project; `OBJECT` for each object that holds events, in turn. */
  readonly text: string;
}

const nobody = '00000000-0000-4000-8000-000000000000';

const insert = (what: string, body: unknown, text: string): Case => ({
  what,
  path: '/v1/OBJECT/insert',
  body,
  text,
});

const query = (what: string, text: string, sentence: string): Case => ({
  what,
  path: '/query',
  body: { query: text },
  text: sentence,
});

const get = (what: string, path: string, text: string): Case => ({
  what,
  method: 'GET',
  path,
  text,
});

const cases: readonly Case[] = [
  insert('malformed JSON', '{"events": [', 'JSON'),
  insert('no events', {}, 'events'),
  insert('a list for a body', [], 'request body'),
  insert('an event that is no object', { events: [1] }, 'events[0]'),
  insert('an empty id', { events: [{ id: '' }] }, 'events[0].id'),
  insert('a time that is none', { events: [{ created: 'now' }] }, 'events[0].created'),
  insert('events of a wrong type', { events: 'x' }, 'events'),
  insert('an unknown body field', { events: [], more: 1 }, 'more'),
  insert(
    'an unknown event field',
    { events: [{ input: 1 }, { inptu: 1 }] },
    'events[1]: unknown field "inptu"',
  ),
  insert('a score that is no number', { events: [{ scores: { a: 'high' } }] }, 'scores'),
  insert('tags of a wrong type', { events: [{ tags: 'x' }] }, 'events[0].tags'),
  insert('an unknown parent', { events: [{ id: 'a', _parent_id: 'absent' }] }, 'absent'),
  insert(
    'a merge with a parent',
    { events: [{ id: 'a', _is_merge: true, _parent_id: 'b' }] },
    '_parent_id',
  ),
  get('a path id that is no UUID', '/v1/project_logs/17/fetch', '17'),
  get('a negative limit', '/v1/OBJECT/fetch?limit=-1', 'limit'),
  get('a limit that is no number', '/v1/OBJECT/fetch?limit=many', 'limit'),
  get('an unknown parameter', '/v1/OBJECT/fetch?limt=1', 'limt'),
  get('a damaged cursor', '/v1/OBJECT/fetch?cursor=AAAA', 'cursor'),
  get('a bad version', '/v1/OBJECT/fetch?version=yesterday', 'version'),
  get(
    'half of the manual cursor',
    '/v1/OBJECT/fetch?max_xact_id=1000192656880881099',
    'max_root_span_id',
  ),
  get(
    'both list cursors at once',
    `/v1/project?starting_after=${nobody}&ending_before=${nobody}`,
    'starting_after',
  ),
  {
    what: 'a filter of an unknown type',
    path: '/v1/OBJECT/fetch',
    body: { filters: [{ type: 'regex', path: ['input'], value: 1 }] },
    text: 'filters',
  },
  {
    what: 'an unknown key',
    method: 'GET',
    path: '/v1/project',
    options: { key: 'no-such-key' },
    status: 401,
    text: 'key',
  },
  {
    what: 'no key',
    method: 'GET',
    path: '/v1/project',
    options: { key: null },
    status: 401,
    text: 'key',
  },
  {
    what: 'a malformed Authorization header',
    method: 'GET',
    path: '/v1/project',
    options: { key: null, headers: { Authorization: 'Basic dXNlcjpwYXNz' } },
    status: 401,
    text: 'Bearer',
  },
  ...['project_logs', 'experiment', 'dataset'].flatMap((kind): readonly Case[] => [
    {
      what: `an insert into an absent object of ${kind}`,
      path: `/v1/${kind}/${nobody}/insert`,
      body: { events: [] },
      status: 403,
      text: nobody,
    },
    {
      what: `a fetch from an absent object of ${kind}`,
      method: 'GET',
      path: `/v1/${kind}/${nobody}/fetch`,
      status: 403,
      text: nobody,
    },
    {
      what: `a path id of ${kind} that is no UUID`,
      path: `/v1/${kind}/17/insert`,
      body: { events: [] },
      text: '17',
    },
  ]),
  query(
    'a query with a syntax error',
    "select: id,, input | from: project('PROJECT')",
    'line 1, column',
  ),
  query('a query without a source', 'select: id', 'from'),
  query('a query on an absent object', `select: id | from: experiment('${nobody}')`, nobody),
  query('a source of another kind', "select: id | from: experiment('PROJECT')", 'line 1, column'),
  {
    what: 'an unknown format',
    path: '/query',
    body: { query: "select: id | from: project('PROJECT')", fmt: 'xml' },
    text: 'fmt',
  },
  {
    what: 'a bad version of a query',
    path: '/query',
    body: { query: "select: id | from: project('PROJECT')", version: 'x' },
    text: 'version',
  },
];

const kindsOf = ({ path }: Case) =>
  path.includes('OBJECT') ? ['project_logs', 'experiment', 'dataset'] : [''];

describe('bad input', () => {
  const server = sharedServer();
  let project: string;

  before(async () => {
    project = (await createProject(server())).id;
    objects['project_logs'] = `project_logs/${project}`;
    for (const kind of ['experiment', 'dataset']) {
      const { id } = await createNamed(server(), kind, { project_id: project });
      objects[kind] = `${kind}/${id}`;
    }
  });

  const named = (body: unknown) =>
    body === undefined || typeof body === 'string'
      ? body
      : (JSON.parse(JSON.stringify(body).replaceAll('PROJECT', project)) as unknown);

  /** Paths of the objects that hold events, by kind. */
  const objects: Record<string, string> = {};

  const rows = cases.flatMap((row) => kindsOf(row).map((kind) => [kind, row] as const));
  for (const [kind, row] of rows) {
    const { what, method = 'POST', path, body, options = {}, status = 400, text } = row;
    it(`${kind} ${what}`.trim(), async () => {
      const target = path.replaceAll('PROJECT', project).replace('OBJECT', objects[kind] ?? '');
      const answer = await server().request(method, target, named(body), options);
      expect(answer.status, answer.text).to.equal(status);
      expect(answer.headers.get('content-type')).to.match(/^text\/plain/);
      expect(answer.text).to.include(text);
      expect(answer.text.split('\n')).to.have.length(1);
    });
  }

  it('stores nothing of all that', async () => {
    for (const path of Object.values(objects)) {
      const answer = await server().request('GET', `/v1/${path}/fetch`);
      expect(answer.json(), path).to.deep.equal({ events: [], cursor: null });
    }
  });

  it('takes SQL in a field path as a name', async () => {
    const path = String.raw`metadata."x'; drop table buffer_1; --\" or \"1"`;
    const text = `select: ${path} as found | from: project_logs('${project}') | filter: ${path} = "'; drop table event; --"`;
    const answer = await server().request('POST', '/query', { query: text });
    expect(answer.json()).to.deep.include({ data: [] });
    await server().get(`/v1/project_logs/${project}/fetch`);
  });
});

const withoutXact = (events: readonly object[]) =>
  events.map((event) => ({ ...event, _xact_id: '' }));

describe('a fetched row posted back', () => {
  const server = sharedServer();

  async function request(method: string, path: string, body?: unknown) {
    const answer = await server().request(method, path, body);
    return answer.json() as { id: string; events: readonly object[] };
  }

  it('is accepted unchanged and stays the same', async () => {
    const { id: projectId } = await request('POST', '/v1/project', { name: 'back' });
    const { id } = await request('POST', '/v1/experiment', { project_id: projectId, name: 'e' });
    const dataset = await request('POST', '/v1/dataset', { name: 'back' });
    const sent = { id: 'a', input: { q: [1] }, tags: ['t'] };
    const spans = [
      { ...sent, scores: { s: 0.5 } },
      { id: 'b', _parent_id: 'a' },
    ];
    for (const [object, events] of [
      [`/v1/project_logs/${projectId}`, spans],
      [`/v1/experiment/${id}`, spans],
      [
        `/v1/dataset/${dataset.id}`,
        [
          { ...sent, error: 'late' },
          { id: 'b', _parent_id: 'a' },
        ],
      ],
    ] as const) {
      await request('POST', `${object}/insert`, { events });
      const fetched = await request('GET', `${object}/fetch`);
      await request('POST', `${object}/insert`, { events: fetched.events.toReversed() });
      const again = await request('GET', `${object}/fetch`);
      expect(withoutXact(again.events)).to.deep.equal(withoutXact(fetched.events));
    }
  });
});
