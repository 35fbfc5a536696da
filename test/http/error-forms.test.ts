// The form of a refusal, and headers that depend on how the server is reached.
import { expect } from 'chai';
import { createProject } from '../support/objects.js';
import { sharedServer } from '../support/start-server.js';

describe('refusals', () => {
  const server = sharedServer();

  it('are plain text, whatever the client accepts', async () => {
    for (const accept of ['*/*', 'application/json', 'application/json, text/plain, */*']) {
      const answer = await server().request('GET', '/v1/nothing', undefined, {
        headers: { Accept: accept },
      });
      expect(answer.status).to.equal(404);
      expect(answer.headers.get('content-type')).to.equal('text/plain; charset=utf-8');
      expect(answer.text).to.equal('no route /v1/nothing');
    }
  });

  it('quote the beginning of what is long', async () => {
    const long = 'x'.repeat(1_000_000);
    const { id } = await createProject(server());
    const refusal = async (path: string, body: object) => {
      const answer = await server().request('POST', path, body);
      expect(answer.status).to.equal(400);
      return answer.text;
    };
    expect(await refusal('/v1/insert', { project_logs: { [long]: { events: [] } } })).to.equal(
      `project_logs.${'x'.repeat(100)}…: no project with the id "${'x'.repeat(100)}…" that this key may use`,
    );
    const feedback = [{ id: long, scores: { a: 1 } }];
    const text = await refusal(`/v1/project_logs/${id}/feedback`, { feedback });
    expect(text).to.match(/^feedback\[0\]\.id: no row has the id "x{1900,2000}…$/);
  });
});

describe('a public URL with https', () => {
  const server = sharedServer({
    environment: { EVALSTORE_PUBLIC_URL: 'https://evals.example.org' },
  });

  it('alone makes browsers insist on https, for this host and not for its subdomains', async () => {
    const { headers } = await server().request('GET', '/health');
    expect(headers.get('strict-transport-security')).to.match(/^max-age=\d+$/);
    expect(headers.get('content-security-policy')).to.include('upgrade-insecure-requests');
  });
});
