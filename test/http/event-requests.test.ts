import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { createExperiment, createProject, type StoredObject } from '../support/objects.js';
import { sharedServer } from '../support/start-server.js';

describe('requests about events', () => {
  const server = sharedServer();
  let project: StoredObject;
  let experiment: StoredObject;

  before(async () => {
    project = await createProject(server());
    experiment = await createExperiment(server(), project.id);
  });

  const refusal = async (method: string, path: string, body?: unknown, key?: null) => {
    const options = key === null ? { key } : {};
    const answer = await server().request(method, path, body, options);
    return [answer.status, answer.text];
  };

  it('insert into project logs and experiments, and fetch with GET and POST', async () => {
    for (const path of [`/v1/project_logs/${project.id}`, `/v1/experiment/${experiment.id}`]) {
      const events = [{ id: 'a', input: 1 }, { id: 'b' }];
      const inserted = await server().request('POST', `${path}/insert`, { events });
      expect(inserted.text).to.equal('{"row_ids":["a","b"]}');
      const version = inserted.headers.get('x-evalstore-version');
      expect(version).to.match(/^\d{19}$/);
      const got = await server().request('GET', `${path}/fetch`);
      expect(got.json()['events']).to.have.length(2);
      expect(got.headers.get('x-evalstore-version')).to.equal(version);
      const posted = await server().request('POST', `${path}/fetch`);
      expect(posted.text).to.equal(got.text);
    }
  });

  const wrongParameters: readonly (readonly [string, string])[] = [
    ['limit=-1', 'limit: expected an integer of at least 0, got -1'],
    ['limit=ten', 'limit: expected an integer of at least 0, got "ten"'],
    ['filters=[]', 'unknown query parameter "filters"'],
  ];
  for (const [query, text] of wrongParameters) {
    it(`refuse GET fetch with ${query}`, async () => {
      const path = `/v1/experiment/${experiment.id}/fetch?${query}`;
      expect(await refusal('GET', path)).to.deep.equal([400, text]);
    });
  }

  const filter = { type: 'path_lookup', path: ['metadata', 'a'], value: 1 };
  const wrongBodies: readonly (readonly [unknown, string])[] = [
    [{ limit: -1 }, 'limit: expected an integer of at least 0 or null, got -1'],
    [{ limit: '5' }, 'limit: expected an integer of at least 0 or null, got "5"'],
    [{ version: 5 }, 'version: expected a string or null, got 5'],
    [{ offset: 5 }, 'unknown field "offset" in the request body'],
    [{ filters: {} }, 'filters: expected an array or null, got an object'],
    [
      { filters: [filter, { ...filter, type: 'regex' }] },
      'filters[1].type: expected "path_lookup", got "regex"',
    ],
    [{ filters: [{ ...filter, path: [1] }] }, 'filters[0].path[0]: expected a string, got 1'],
    [{ filters: [{ ...filter, path: 'a' }] }, 'filters[0].path: expected an array, got "a"'],
    [{ filters: [{ type: 'path_lookup', path: [] }] }, 'field "value" is missing in filters[0]'],
    ['{"limit":', 'request body is not valid JSON'],
  ];
  for (const [body, text] of wrongBodies) {
    it(`refuse POST fetch with ${JSON.stringify(body)}`, async () => {
      const [status, answer] = await refusal('POST', `/v1/experiment/${experiment.id}/fetch`, body);
      expect(status).to.equal(400);
      expect(answer).to.contain(text);
    });
  }

  const wrongQueries: readonly (readonly [unknown, string])[] = [
    [undefined, 'request body: expected an object, got nothing'],
    [{}, 'field "query" is missing in the request body'],
    [{ query: 5 }, 'query: expected a string or an object, got 5'],
    [
      { query: '', fmt: 'xml' },
      'fmt: expected "json", "jsonl", "csv", "parquet", "arrow" or null, got "xml"',
    ],
    [
      { query: '', tz_offset: 1.5 },
      'tz_offset: expected an integer from -1440 to 1440, the name of a time zone or null, got 1.5',
    ],
    [
      { query: '', tz_offset: -1441 },
      'tz_offset: expected an integer from -1440 to 1440, the name of a time zone or null, got -1441',
    ],
    [
      { query: '', tz_offset: 'Berlin' },
      'tz_offset: expected an integer from -1440 to 1440, the name of a time zone or null, got "Berlin"',
    ],
    [{ query: '', version: 1 }, 'version: expected a string or null, got 1'],
    [
      { query: '', use_columnstore: 'yes' },
      'use_columnstore: expected true, false or null, got "yes"',
    ],
  ];
  for (const [body, text] of wrongQueries) {
    it(`refuse a query with ${JSON.stringify(body)}`, async () => {
      expect(await refusal('POST', '/query', body)).to.deep.equal([400, text]);
    });
  }

  it('ignore unknown fields of a query', async () => {
    const query = `select: id | from: experiment('${experiment.id}')`;
    await server().post('/query', { query, brainstore_realtime: true });
  });

  it('refuse objects that cannot be used', async () => {
    const id = randomUUID();
    for (const [kind, owner] of [
      ['project_logs', 'project'],
      ['experiment', 'experiment'],
    ] as const) {
      const text = `no ${owner} with the id "${id}" that this key may use`;
      const path = `/v1/${kind}/${id}`;
      const events = { events: [] };
      expect(await refusal('POST', `${path}/insert`, events)).to.deep.equal([403, text]);
      expect(await refusal('GET', `${path}/fetch`)).to.deep.equal([403, text]);
      expect(await refusal('POST', `${path}/fetch`)).to.deep.equal([403, text]);
    }
  });

  it('let anybody fetch from a public experiment, and nothing else', async () => {
    const shown = await createExperiment(server(), project.id, { public: true });
    const path = `/v1/experiment/${shown.id}`;
    await server().request('POST', `${path}/insert`, { events: [{ id: 'a' }] });
    for (const method of ['GET', 'POST']) {
      const answer = await server().request(method, `${path}/fetch`, undefined, { key: null });
      expect(answer.json()['events']).to.have.length(1);
    }
    const noKey = 'this request needs an API key in the header "Authorization: Bearer <API_KEY>"';
    for (const [method, refused, body] of [
      ['POST', `${path}/insert`, { events: [] }],
      ['GET', `/v1/experiment/${experiment.id}/fetch`, undefined],
      ['POST', `/v1/experiment/${experiment.id}/fetch`, {}],
      ['GET', `/v1/project_logs/${project.id}/fetch`, undefined],
      ['POST', '/query', { query: `select: id | from: experiment('${shown.id}')` }],
    ] as const) {
      expect(await refusal(method, refused, body, null)).to.deep.equal([401, noKey]);
    }
  });
});
