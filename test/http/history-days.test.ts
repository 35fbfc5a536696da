// Versions from before the kept history are refused wherever a version of events can be named.
import { expect } from 'chai';
import { formatXactId, nextXactId } from '../../src/schema/xact-id.js';
import { openServer } from '../support/hosted-server.js';
import { createNamed } from '../support/objects.js';
import { outcome, type TestServer } from '../support/start-server.js';

const old = formatXactId(nextXactId(0n, Date.UTC(2020, 0, 1) / 1000));

/** The reads of an object at a version, with the field that names it. */
const reads = (kind: string, id: string) =>
  [
    ['version', 'GET', `/v1/${kind}/${id}/fetch?version=${old}`],
    ['version', 'POST', `/v1/${kind}/${id}/fetch`, { version: old }],
    ['version', 'GET', `/v1/${kind}/${id}/feedback?version=${old}`],
    ['version', 'POST', '/query', { query: `select: id | from: ${kind}('${id}')`, version: old }],
    ['max_xact_id', 'POST', `/v1/${kind}/${id}/fetch`, { max_xact_id: old, max_root_span_id: 'r' }],
  ] as const;

describe('a server with EVALSTORE_HISTORY_DAYS', () => {
  let server: TestServer;
  before(async () => {
    server = await openServer({ environment: { EVALSTORE_HISTORY_DAYS: '1' } });
  });
  after(() => server.stop());

  const made = async (kind: string) => {
    const project = await createNamed(server, 'project');
    if (kind === 'project_logs') return project.id;
    const body = { name: 'a', project_id: project.id };
    return ((await server.post(`/v1/${kind}`, body)) as { id: string }).id;
  };

  for (const kind of ['project_logs', 'experiment'])
    it(`refuses older versions of a ${kind}`, async () => {
      const id = await made(kind);
      await server.post(`/v1/${kind}/${id}/insert`, { events: [{ input: 1 }] });
      for (const [field, method, path, body] of reads(kind, id)) {
        const [status, text] = await outcome(server.request(method, path, body));
        expect(status, path).to.equal(400);
        expect(text).to.match(
          new RegExp(
            `^${field}: version ${old} is from before \\d{4}-[\\dT:.-]+Z, and older versions are not kept \\(EVALSTORE_HISTORY_DAYS\\)$`,
          ),
        );
      }
      const path = `/v1/experiment/${id}/summarize?summarize_scores=true&version=${old}`;
      if (kind === 'experiment') expect((await server.request('GET', path)).status).to.equal(400);
    });

  it('reads datasets at every version', async () => {
    const id = await made('dataset');
    for (const [, method, path, body] of reads('dataset', id))
      expect((await server.request(method, path, body)).status, path).to.equal(200);
  });

  it('is needed for that: without it, every version is there', async () => {
    await server.stop();
    server = await openServer();
    const id = await made('project_logs');
    for (const [, method, path, body] of reads('project_logs', id))
      expect((await server.request(method, path, body)).status, path).to.equal(200);
  });
});
