// One very long string goes in and comes out, wherever it is stored; a body over the default limit does not.
import { expect } from 'chai';
import { createExperiment, createProject } from '../support/objects.js';
import { outcome, startServer, type TestServer } from '../support/start-server.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const megabyte = 2 ** 20;

const storages = {
  'the log': {},
  'a segment': { EVALSTORE_FLUSH_ROWS: '1' },
};

async function fetchOnly(server: TestServer, id: string): Promise<Record<string, unknown>> {
  const answer = await server.request('GET', `/v1/experiment/${id}/fetch`);
  const events = answer.json()['events'] as Record<string, unknown>[];
  expect(events).to.have.length(1);
  return events[0]!;
}

describe('large bodies', () => {
  const directory = temporaryDirectory();

  for (const [where, environment] of Object.entries(storages))
    it(`a string of 50 MB comes back from ${where}, also after a restart`, async () => {
      const text = 'a line of text, ünïcode 😀 and "quotes"\n'
        .repeat(1_200_000)
        .slice(0, 50 * megabyte);
      const dir = directory();
      const first = await startServer({ dir, environment });
      const { id } = await createExperiment(first, (await createProject(first)).id);
      const body = { events: [{ id: 'long', input: text, output: 'short' }] };
      await first.post(`/v1/experiment/${id}/insert`, body);
      const found = await fetchOnly(first, id);
      expect(found['input'] === text).to.equal(true);
      const query = `select: len(input) as n, output | from: experiment('${id}')`;
      const counted = await first.request('POST', '/query', { query });
      expect(counted.json()['data']).to.deep.equal([
        { n: Array.from(text).length, output: 'short' },
      ]);
      await first.stop();
      const again = await startServer({ dir, environment });
      const restarted = await fetchOnly(again, id);
      expect(restarted['input'] === text).to.equal(true);
      await again.stop();
    });

  it('a query reads prompts of at most 64 MB', async () => {
    const server = await startServer({ dir: directory() });
    const { id: project } = await createProject(server);
    const body = {
      project_id: project,
      name: 'p',
      slug: 'p',
      description: 'x'.repeat(14 * megabyte),
    };
    const { id } = await server.post('/v1/prompt', body);
    const source = `project_prompts('${project}')`;
    const versions = { query: `select: id | from: ${source}`, audit_log: true };
    const change = (description: string) =>
      server.request('PATCH', `/v1/prompt/${String(id)}`, { description });
    for (const letter of ['a', 'b', 'c']) await change(letter.repeat(14 * megabyte));
    const read = await server.request('POST', '/query', versions);
    expect(read.json()['data']).to.have.length(4);
    await change('d'.repeat(14 * megabyte));
    expect(await outcome(server.request('POST', '/query', versions))).to.deep.equal([
      400,
      'project_prompts and project_functions: a query reads at most 64 MB of prompts and functions: narrow it down with a filter on "id"',
    ]);
    const latest = await server.request('POST', '/query', { query: versions.query });
    expect(latest.json()['data']).to.have.length(1);
    await server.stop();
  });

  it('a body of 257 MB is refused with 413, and nothing of it is stored', async () => {
    const server = await startServer({ dir: directory() });
    const { id } = await createExperiment(server, (await createProject(server)).id);
    const head = Buffer.from('{"events":[{"input":"');
    const rest = Buffer.alloc(257 * megabyte - head.length, 'x');
    expect(
      await outcome(
        server.request('POST', `/v1/experiment/${id}/insert`, Buffer.concat([head, rest])),
      ),
    ).to.deep.equal([413, 'the request body is larger than the limit of 256 MB']);
    const left = await server.request('GET', `/v1/experiment/${id}/fetch`);
    expect(left.json()['events']).to.deep.equal([]);
    await server.stop();
  });
});
