import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createExperiment, createProject, type StoredObject } from '../support/objects.js';
import { outcome, sharedServer, type RequestOptions } from '../support/start-server.js';

const noKey = 'this request needs an API key in the header "Authorization: Bearer <API_KEY>"';

describe('authentication', () => {
  const server = sharedServer();
  let project: StoredObject;
  let secret: StoredObject;
  let shown: StoredObject;

  before(async () => {
    project = await createProject(server());
    secret = await createExperiment(server(), project.id);
    shown = await createExperiment(server(), project.id, { public: true });
  });

  const answer = (method: string, path: string, options: RequestOptions) =>
    outcome(server().request(method, path, undefined, options));

  for (const path of ['/health', '/version']) {
    it(`lets anybody read ${path}`, async () => {
      const { status } = await server().request('GET', path, undefined, { key: null });
      expect(status).to.equal(200);
    });
  }

  it('tells the version and the commit that it was built from', async () => {
    const version = await server().get('/version');
    expect(Object.keys(version)).to.deep.equal(['version', 'commit', 'logs3_payload_max_bytes']);
    expect(version['logs3_payload_max_bytes']).to.equal(null);
    expect(version['version']).to.match(/^\d+\.\d+\.\d+/);
    // Null outside of a checkout, and where git is not installed.
    const { stdout } = spawnSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' });
    expect(version['commit']).to.satisfy((commit: unknown) =>
      stdout ? /^[0-9a-f]{40}$/.test(String(commit)) : commit === null,
    );
  });

  it('refuses everything else without a key, also what does not exist', async () => {
    const requests = [
      ['GET', '/v1/project'],
      ['POST', '/v1/project'],
      ['GET', `/v1/project/${project.id}`],
      ['GET', `/v1/experiment/${secret.id}`],
      ['GET', `/v1/experiment/${randomUUID()}`],
      ['GET', '/v1/experiment/not-a-uuid'],
      ['PATCH', `/v1/experiment/${shown.id}`],
      ['DELETE', `/v1/experiment/${shown.id}`],
      ['GET', '/v1/experiment'],
      ['GET', '/nowhere'],
      ['POST', '/health'],
    ] as const;
    for (const [method, path] of requests) {
      expect(await answer(method, path, { key: null }), path).to.deep.equal([401, noKey]);
    }
    const { headers } = await server().request('GET', '/v1/project', undefined, { key: null });
    expect(headers.get('www-authenticate')).to.equal('Bearer');
  });

  it('refuses a key that is not known, also where none is needed', async () => {
    for (const path of ['/v1/project', '/health', `/v1/experiment/${shown.id}`]) {
      expect(await answer('GET', path, { key: 'wrong' })).to.deep.equal([
        401,
        'the API key is not valid',
      ]);
    }
  });

  for (const header of ['test-key-of-tests', 'Basic dGVzdA==', 'Bearer', 'Bearer a b']) {
    it(`refuses the malformed header ${header}`, async () => {
      const headers = { Authorization: header };
      expect(await answer('GET', '/v1/project', { key: null, headers })).to.deep.equal([
        401,
        'the header Authorization must have the form "Bearer <API_KEY>"',
      ]);
    });
  }

  it('takes the scheme in any case', async () => {
    const headers = { Authorization: 'bearer test-key-of-tests' };
    const { status } = await server().request('GET', '/v1/project', undefined, {
      key: null,
      headers,
    });
    expect(status).to.equal(200);
  });

  it('shows a public experiment to anybody, until it is deleted', async () => {
    const path = `/v1/experiment/${shown.id}`;
    const read = await server().request('GET', path, undefined, { key: null });
    expect(read.json()).to.deep.equal({ ...shown, user_id: null });
    await server().request('DELETE', path);
    expect(await answer('GET', path, { key: null })).to.deep.equal([401, noKey]);
  });

  it('follows a PATCH of public', async () => {
    const { id } = await createExperiment(server(), project.id);
    const read = () => server().request('GET', `/v1/experiment/${id}`, undefined, { key: null });
    await server().request('PATCH', `/v1/experiment/${id}`, { public: true });
    expect((await read()).status).to.equal(200);
    await server().request('PATCH', `/v1/experiment/${id}`, { public: false });
    expect((await read()).status).to.equal(401);
  });
});
