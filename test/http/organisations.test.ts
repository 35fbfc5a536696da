import { expect } from 'chai';
import {
  createExperiment,
  createNamed,
  createProject,
  listObjects,
  namesOf,
  type StoredObject,
} from '../support/objects.js';
import { addOrganisation, strangerKey } from '../support/other-organisation.js';
import { openServer } from '../support/hosted-server.js';
import { outcome, type TestServer } from '../support/start-server.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const standardRoles = new Set(['Owner', 'Engineer', 'Viewer']);

describe('a key of another organisation', () => {
  const directory = temporaryDirectory();
  let server: TestServer;
  let project: StoredObject;
  let secret: StoredObject;
  let shown: StoredObject;
  let others: Readonly<Record<'dataset' | 'prompt' | 'role', StoredObject>>;

  beforeEach(async () => {
    const first = await openServer({ dir: directory() });
    project = await createProject(first, { name: 'ours' });
    secret = await createExperiment(first, project.id, { name: 'secret' });
    shown = await createExperiment(first, project.id, { name: 'shown', public: true });
    others = {
      dataset: await createNamed(first, 'dataset', { name: 'ours' }),
      prompt: await createNamed(first, 'prompt', { project_id: project.id, slug: 'ours' }),
      role: await createNamed(first, 'role', { name: 'ours' }),
    };
    await first.stop();
    await addOrganisation(directory());
    server = await openServer({ dir: directory() });
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
      ['DELETE', 'experiment', shown, 400],
      ['GET', 'dataset', others.dataset, 403],
      ['PATCH', 'dataset', others.dataset, 403],
      ['DELETE', 'dataset', others.dataset, 400],
      ['GET', 'prompt', others.prompt, 403],
      ['PATCH', 'prompt', others.prompt, 403],
      ['DELETE', 'prompt', others.prompt, 400],
      ['GET', 'role', others.role, 403],
    ] as const) {
      expect(
        await outcome(ask(method, `/v1/${kind}/${object.id}`)),
        `${method} ${kind}`,
      ).to.deep.equal([status, `no ${kind} with the id "${object.id}" that this key may use`]);
    }
    expect(await outcome(ask('PATCH', `/v1/experiment/${shown.id}`))).to.deep.equal([
      403,
      'this key may not change the experiment "shown"',
    ]);
    expect((await ask('GET', `/v1/experiment/${shown.id}`)).json()).to.deep.equal({
      ...shown,
      user_id: null,
    });
    expect(await listObjects(server, '/v1/experiment')).to.deep.equal([shown, secret]);
  });

  it('reads a public experiment as a request without a key', async () => {
    const path = `/v1/experiment/${shown.id}`;
    await server.insert(`experiment/${shown.id}`, [{ id: 'a', input: 'shown' }]);
    await server.request('POST', `${path}/feedback`, {
      feedback: [{ id: 'a', comment: 'internal' }],
    });
    const query = (text: string, more: object = {}) =>
      ask('POST', `${path}/query`, { query: `${text} | from: experiment('${shown.id}')`, ...more });
    for (const answer of [
      await ask('GET', `${path}/fetch`),
      await ask('GET', `${path}/summarize`),
      await query('select: *'),
    ]) {
      expect(answer.status, answer.text).to.equal(200);
      expect(answer.text).not.to.include('internal').and.not.to.include(String(project['org_id']));
    }
    const refusal = [403, 'this key may read only what is public of the object'];
    for (const answer of [
      query('select: comments'),
      query('select: org_id'),
      query('select: id', { use_columnstore: true }),
      ask('POST', `${path}/fetch`, {
        filters: [{ type: 'path_lookup', path: ['org_id'], value: 'x' }],
      }),
    ])
      expect(await outcome(answer)).to.deep.equal(refusal);
    expect(await outcome(ask('GET', `${path}/feedback`))).to.deep.equal([
      403,
      `no experiment with the id "${shown.id}" that this key may use`,
    ]);
    const elsewhere = { query: `select: comments | from: experiment('${shown.id}')` };
    expect((await ask('POST', '/query', elsewhere)).text).to.equal(
      `query line 1, column 37: no experiment with the id "${shown.id}" that this key may use`,
    );
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
    const { dataset, role } = others;
    expect((await create({ dataset_id: dataset.id })).text).to.equal(
      `dataset_id: no dataset with the id "${dataset.id}" that this key may use`,
    );
    const inherit = await ask('POST', '/v1/role', { name: 'theirs', member_roles: [role.id] });
    expect(inherit.text).to.equal(
      `member_roles[0]: no role with the id "${role.id}" that this key may use`,
    );
  });

  it('inserts into nothing of ours, not even what is public', async () => {
    for (const [name, kind, { id }] of [
      ['experiment', 'experiment', shown],
      ['experiment', 'experiment', secret],
      ['dataset', 'dataset', others.dataset],
      ['project_logs', 'project', project],
    ] as const) {
      const text = `no ${kind} with the id "${id}" that this key may use`;
      const events = { events: [{ id: 'a' }] };
      const isShown = id === shown.id;
      expect(await outcome(ask('POST', `/v1/${name}/${id}/insert`, events))).to.deep.equal([
        403,
        isShown ? 'this key may not change the experiment "shown"' : text,
      ]);
      const field = name === 'project_logs' ? 'project_id' : `${name}_id`;
      const rows = await ask('POST', '/logs3', { rows: [{ [field]: id }] });
      expect([rows.status, rows.text]).to.deep.equal([400, `rows[0]: ${text}`]);
      expect(await outcome(ask('POST', '/v1/insert', { [name]: { [id]: events } }))).to.deep.equal([
        400,
        `${name}.${id}: ${text}`,
      ]);
    }
  });

  it('takes the names and slugs of ours for its own objects, and lists no others', async () => {
    const theirs = (await ask('POST', '/v1/project', { name: 'theirs' })).json() as StoredObject;
    for (const [kind, fields] of [
      ['dataset', { name: 'ours' }],
      ['prompt', { name: 'ours', slug: 'ours', project_id: theirs.id }],
      ['role', { name: 'ours' }],
    ] as const) {
      const own = (await ask('POST', `/v1/${kind}`, fields)).json();
      expect(own['id']).not.to.equal(others[kind].id);
      for (const query of ['?name=ours', `?ids=${others[kind].id}&ids=${String(own['id'])}`])
        expect((await ask('GET', `/v1/${kind}${query}`)).json()).to.deep.equal({ objects: [own] });
      const all = (await ask('GET', `/v1/${kind}`)).json()['objects'] as StoredObject[];
      expect(namesOf(all).filter((name) => !standardRoles.has(name))).to.deep.equal(['ours']);
      const [first] = await listObjects(server, `/v1/${kind}`);
      expect(first).to.deep.equal(others[kind]);
    }
  });

  it('lists nothing of ours, not even what is public', async () => {
    expect((await ask('GET', '/v1/experiment')).json()).to.deep.equal({ objects: [] });
    expect(await outcome(ask('GET', `/v1/experiment?ending_before=${shown.id}`))).to.deep.equal([
      400,
      `ending_before: no experiment has had the id "${shown.id}"`,
    ]);
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
    expect(await outcome(ask('GET', `/v1/project?starting_after=${project.id}`))).to.deep.equal([
      400,
      `starting_after: no project has had the id "${project.id}"`,
    ]);
    expect(await listObjects(server, '/v1/project')).to.deep.equal([project]);
  });
});
