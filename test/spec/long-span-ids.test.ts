// Cursors are headers, so the ids in them have a limit.
import { expect } from 'chai';
import { createExperiment, createProject } from '../support/objects.js';
import { sharedServer } from '../support/start-server.js';

describe('the ids of spans and traces', () => {
  const server = sharedServer();

  it('are short enough for the headers of a page', async () => {
    const { id } = await createExperiment(server(), (await createProject(server())).id);
    // Characters that take the most space in JSON.
    const events = ['\u0001', '\u0002'].map((char) => ({ root_span_id: char.repeat(500) }));
    await server().insert(`experiment/${id}`, events);
    const query = `select: root_span_id | from: experiment('${id}') | limit: 1`;
    const { headers } = await server().request('POST', '/query', { query, fmt: 'jsonl' });
    const bytes = [...headers].reduce((sum, [name, value]) => sum + name.length + value.length, 0);
    expect(bytes).to.be.below(14_000);
    const cursor = headers.get('x-bt-cursor');
    expect(await server().query(`${query} | cursor: '${cursor}'`)).to.have.length(1);
  });

  for (const name of ['span_id', 'root_span_id'])
    it(`are refused if they are longer: ${name}`, async () => {
      const { id } = await createExperiment(server(), (await createProject(server())).id);
      const { status, text } = await server().request('POST', `/v1/experiment/${id}/insert`, {
        events: [{ [name]: 'x'.repeat(501) }],
      });
      expect([status, text]).to.deep.equal([
        400,
        `events[0].${name}: expected a string of at most 500 characters or null, got "${'x'.repeat(99)}…`,
      ]);
    });
});
