import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { createExperiment, createProject, listObjects } from '../support/objects.js';
import { sharedServer } from '../support/start-server.js';

const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;
const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

describe('projects', () => {
  const server = sharedServer();

  const patch = (id: string, body?: unknown) =>
    server().request('PATCH', `/v1/project/${id}`, body);

  describe('create', () => {
    it('answers every field of the project', async () => {
      const project = await createProject(server(), { name: 'fields' });
      expect(Object.keys(project)).to.deep.equal([
        'id',
        'org_id',
        'name',
        'description',
        'created',
        'deleted_at',
        'user_id',
        'settings',
      ]);
      for (const field of ['id', 'org_id', 'user_id']) expect(project[field]).to.match(uuid);
      expect(project.name).to.equal('fields');
      expect(project['created']).to.match(isoTime);
      expect(project['deleted_at']).to.equal(null);
    });

    for (const method of ['POST', 'PUT']) {
      it(`${method} on a taken name answers the existing project unmodified, and says so`, async () => {
        const body = { name: `taken by ${method}`, description: 'first' };
        const first = await server().request(method, '/v1/project', body);
        expect(first.headers.get('x-bt-found-existing')).to.equal(null);
        const again = await server().request(method, '/v1/project', {
          ...body,
          description: 'second',
        });
        expect(again.status).to.equal(200);
        expect(again.headers.get('x-bt-found-existing')).to.equal('true');
        expect(again.text).to.equal(first.text);
      });
    }

    it('makes one project when many ask for the same name at once', async () => {
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => createProject(server(), { name: 'at once' })),
      );
      expect(new Set(answers.map(({ id }) => id)).size).to.equal(1);
    });

    it('takes description, settings and the name of the own organisation', async () => {
      const project = await createProject(server(), {
        description: 'text',
        settings: { comparison_key: 'input' },
        org_name: 'evalstore',
      });
      expect(project['description']).to.equal('text');
      expect(project['settings']).to.deep.equal({ comparison_key: 'input' });
      expect(project).not.to.have.property('org_name');
      const withNull = await createProject(server(), { org_name: null, description: null });
      expect(withNull['description']).to.equal(null);
    });
  });

  describe('read', () => {
    it('GET answers what POST answered, whatever the case of the id', async () => {
      const made = await server().request('POST', '/v1/project', { name: 'read me' });
      const { id } = made.json() as { id: string };
      const read = await server().request('GET', `/v1/project/${id}`);
      expect(read.status).to.equal(200);
      expect(read.text).to.equal(made.text);
      const upper = await server().request('GET', `/v1/project/${id.toUpperCase()}`);
      expect(upper.text).to.equal(made.text);
    });

    it('keeps exact numbers and the order of keys in settings', async () => {
      const settings = '{"b":12345678901234567890,"10":1,"a":0.1234567890123456789,"__proto__":2}';
      const body = `{"name":"exact","settings":${settings}}`;
      const made = await server().request('POST', '/v1/project', body);
      expect(made.text).to.contain(`"settings":${settings}`);
      const { id } = made.json() as { id: string };
      const read = await server().request('GET', `/v1/project/${id}`);
      expect(read.text).to.equal(made.text);
    });
  });

  describe('patch', () => {
    it('changes the given fields only', async () => {
      const project = await createProject(server(), { description: 'kept' });
      const renamed = (await patch(project.id, { name: 'renamed' })).json();
      expect(renamed).to.deep.equal({ ...project, name: 'renamed' });
      const read = await server().request('GET', `/v1/project/${project.id}`);
      expect(read.json()).to.deep.equal(renamed);
    });

    it('finds the project by its new name, and frees the old one', async () => {
      const project = await createProject(server(), { name: 'old name' });
      await patch(project.id, { name: 'new name' });
      expect((await createProject(server(), { name: 'new name' })).id).to.equal(project.id);
      expect((await createProject(server(), { name: 'old name' })).id).not.to.equal(project.id);
    });

    it('merges settings deeply, and takes null inside them as a value', async () => {
      const project = await createProject(server(), {
        settings: { a: { x: 1, y: [1, 2] }, b: 2 },
      });
      const sent = '{"settings":{"a":{"y":[3],"z":null},"c":98765432109876543210}}';
      const patched = await patch(project.id, sent);
      expect(patched.text).to.contain(
        '"settings":{"a":{"x":1,"y":[3],"z":null},"b":2,"c":98765432109876543210}',
      );
    });

    it('keeps keys that JavaScript gives a meaning, and merges below them', async () => {
      const project = await createProject(server(), { settings: { a: 1 } });
      const sent = '{"settings":{"__proto__":{"b":2},"a":{"constructor":{"d":4},"c":3}}}';
      await patch(project.id, sent);
      await patch(project.id, '{"settings":{"__proto__":{"e":5},"a":{"constructor":{"f":6}}}}');
      expect((await patch(project.id, '{"settings":{"prototype":7}}')).text).to.contain(
        '"settings":{"a":{"constructor":{"d":4,"f":6},"c":3},"__proto__":{"b":2,"e":5},"prototype":7}',
      );
    });

    it('ignores a null', async () => {
      const project = await createProject(server(), { description: 'kept', settings: { a: 1 } });
      const patched = await patch(project.id, { name: null, description: null, settings: null });
      expect(patched.json()).to.deep.equal(project);
    });

    it('without a body leaves the project as it is', async () => {
      const project = await createProject(server());
      expect((await patch(project.id)).json()).to.deep.equal(project);
      expect((await patch(project.id, {})).json()).to.deep.equal(project);
    });

    it('refuses a taken name, but not its own', async () => {
      await createProject(server(), { name: 'occupied' });
      const project = await createProject(server());
      const refused = await patch(project.id, { name: 'occupied' });
      expect(refused.status).to.equal(400);
      expect(refused.text).to.equal('name: another project is already named "occupied"');
      expect((await patch(project.id, { name: project.name })).status).to.equal(200);
    });
  });

  describe('delete', () => {
    it('answers the project with its time of deletion, and takes it out of reach', async () => {
      const project = await createProject(server());
      const deleted = (await server().request('DELETE', `/v1/project/${project.id}`)).json();
      expect(deleted['deleted_at']).to.match(isoTime);
      expect({ ...deleted, deleted_at: null }).to.deep.equal(project);
      expect(await listObjects(server(), `/v1/project?ids=${project.id}`)).to.deep.equal([]);
      for (const method of ['GET', 'PATCH']) {
        const answer = await server().request(method, `/v1/project/${project.id}`);
        expect(answer.status).to.equal(403);
        expect(answer.text).to.equal(
          `no project with the id "${project.id}" that this key may use`,
        );
      }
    });

    it('frees the name', async () => {
      const project = await createProject(server(), { name: 'reused' });
      await server().request('DELETE', `/v1/project/${project.id}`);
      const next = await createProject(server(), { name: 'reused' });
      expect(next.id).not.to.equal(project.id);
    });

    it('says the same of a deleted and of an absent project', async () => {
      const { id } = await createProject(server());
      await server().request('DELETE', `/v1/project/${id}`);
      for (const gone of [id, randomUUID()]) {
        const answer = await server().request('DELETE', `/v1/project/${gone}`);
        expect(answer.status).to.equal(400);
        expect(answer.text).to.equal(`no project with the id "${gone}" that this key may use`);
      }
    });

    it('makes what is inside unreachable', async () => {
      const project = await createProject(server());
      const experiment = await createExperiment(server(), project.id, { name: 'inside' });
      await server().request('DELETE', `/v1/project/${project.id}`);
      const path = `/v1/experiment/${experiment.id}`;
      expect((await server().request('GET', path)).status).to.equal(403);
      expect((await server().request('PATCH', path, { name: 'x' })).status).to.equal(403);
      expect((await server().request('DELETE', path)).status).to.equal(400);
      expect(await listObjects(server(), `/v1/experiment?ids=${experiment.id}`)).to.deep.equal([]);
    });
  });
});
