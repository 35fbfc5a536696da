// What is unusual and not wrong: names that are SQL, and answers that are sent back.
import { expect } from 'chai';
import { createProject } from '../support/objects.js';
import { sharedServer } from '../support/start-server.js';

describe('queries', () => {
  const server = sharedServer();

  it('take SQL in a field path as a name', async () => {
    const project = (await createProject(server())).id;
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
