import { expect } from 'chai';
import { createHash, randomUUID } from 'node:crypto';
import path from 'node:path';
import { sql } from '../../src/duckdb/sql.js';
import { Writer } from '../../src/duckdb/writer.js';
import {
  createExperiment,
  createProject,
  listObjects,
  type StoredObject,
} from '../support/objects.js';
import { startServer, type TestServer } from '../support/start-server.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const strangerKey = 'key-of-another-organisation';

/** No operation makes a second organisation, so its rows are written while no server runs. */
async function addOrganisation(dir: string): Promise<void> {
  const writer = await Writer.open(path.join(dir, 'meta.duckdb'), { memoryMb: 200, threads: 1 });
  const [orgId, userId] = [randomUUID(), randomUUID()];
  const hash = createHash('sha256').update(strangerKey).digest('hex');
  await writer.transaction(async (connection) => {
    await connection.run(sql`INSERT INTO organisation VALUES (${orgId}, 'stranger')`);
    await connection.run(sql`INSERT INTO account VALUES (${userId}, ${orgId})`);
    await connection.run(sql`INSERT INTO api_key VALUES (${hash}, ${randomUUID()}, ${userId})`);
  });
  await writer.close();
}

describe('a key of another organisation', () => {
  const directory = temporaryDirectory();
  let server: TestServer;
  let project: StoredObject;
  let secret: StoredObject;
  let shown: StoredObject;

  beforeEach(async () => {
    const first = await startServer({ dir: directory() });
    project = await createProject(first, { name: 'ours' });
    secret = await createExperiment(first, project.id, { name: 'secret' });
    shown = await createExperiment(first, project.id, { name: 'shown', public: true });
    await first.stop();
    await addOrganisation(directory());
    server = await startServer({ dir: directory() });
  });
  afterEach(() => server.stop());

  const ask = (method: string, requestPath: string, body?: unknown) =>
    server.request(method, requestPath, body, { key: strangerKey });

  it('reads and changes nothing of ours but what is public', async () => {
    for (const [method, kind, object, status] of [
      ['GET', 'project', project, 403],
      ['PATCH', 'project', project, 403],
      ['DELETE', 'project', project, 400],
      ['GET', 'experiment', secret, 403],
      ['PATCH', 'experiment', secret, 403],
      ['PATCH', 'experiment', shown, 403],
      ['DELETE', 'experiment', shown, 400],
    ] as const) {
      const answer = await ask(method, `/v1/${kind}/${object.id}`);
      expect([answer.status, answer.text], `${method} ${kind}`).to.deep.equal([
        status,
        `no ${kind} with the id "${object.id}" that this key may use`,
      ]);
    }
    expect((await ask('GET', `/v1/experiment/${shown.id}`)).json()).to.deep.equal(shown);
    expect(await listObjects(server, '/v1/experiment')).to.deep.equal([shown, secret]);
  });

  it('refers to nothing of ours but what is public', async () => {
    const own = (await ask('POST', '/v1/project', { name: 'theirs' })).json() as StoredObject;
    const create = (fields: object) =>
      ask('POST', '/v1/experiment', { project_id: own.id, ...fields });
    expect((await create({ project_id: project.id })).text).to.equal(
      `project_id: no project with the id "${project.id}" that this key may use`,
    );
    expect((await create({ base_exp_id: secret.id })).text).to.equal(
      `base_exp_id: no experiment with the id "${secret.id}" that this key may use`,
    );
    expect((await create({ base_exp_id: shown.id })).json()['base_exp_id']).to.equal(shown.id);
  });

  it('lists its own objects, names them freely, and knows its own name', async () => {
    const answer = await ask('POST', '/v1/project', { name: 'ours', org_name: 'stranger' });
    expect(answer.headers.get('x-bt-found-existing')).to.equal(null);
    const own = answer.json() as StoredObject;
    expect(own.id).not.to.equal(project.id);
    for (const query of ['', '?org_name=stranger', '?project_name=ours', `?ids=${own.id}`]) {
      expect((await ask('GET', `/v1/project${query}`)).json(), query).to.deep.equal({
        objects: [own],
      });
    }
    const cursor = await ask('GET', `/v1/project?starting_after=${project.id}`);
    expect([cursor.status, cursor.text]).to.deep.equal([
      400,
      `starting_after: no project has had the id "${project.id}"`,
    ]);
    expect(await listObjects(server, '/v1/project')).to.deep.equal([project]);
  });
});
