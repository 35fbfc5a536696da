// What is read by who may read a part, and that nothing shows what there is beside it.
import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { createExperiment, createProject, type StoredObject } from '../../support/objects.js';
import { span } from '../../otlp/spans.js';
import { inHeader, sendSpans } from '../../support/post-spans.js';
import { outcome, sharedServer } from '../../support/start-server.js';
import { asking } from './asking.js';

describe('access: reading', () => {
  const server = sharedServer();
  const { ask, json, listed, addAccount, organizationId } = asking(server);
  let organization: string;

  before(async () => {
    organization = await organizationId();
  });

  describe('reading', () => {
    it('of a project in a query leaves out what may not be read; what is named is refused', async () => {
      const { id, service_token: token } = await addAccount();
      const project = await createProject(server());
      const [shown, hidden] = [
        await createExperiment(server(), project.id),
        await createExperiment(server(), project.id),
      ];
      for (const each of [shown, hidden])
        await ask('POST', `/v1/experiment/${each.id}/insert`, { events: [{ id: each.name }] });
      await ask('POST', `/v1/project_logs/${project.id}/insert`, { events: [{ id: 'log' }] });
      const grants = [
        {
          object_type: 'project',
          object_id: project.id,
          permission: 'read',
          restrict_object_type: 'project',
        },
        { object_type: 'experiment', object_id: shown.id, permission: 'read' },
      ];
      const query = (from: string) =>
        ask('POST', '/query', { query: `select: id | from: ${from}` }, token);
      expect((await query(`project('${project.id}')`)).text).to.equal(
        `query line 1, column 28: no project with the id "${project.id}" that this key may use`,
      );
      await ask('POST', '/v1/acl/batch_update', {
        add_acls: grants.slice(0, 1).map((acl) => Object.assign(acl, { user_id: id })),
      });
      expect((await query(`project('${project.id}')`)).json()['data']).to.deep.equal([]);
      await ask('POST', '/v1/acl/batch_update', {
        add_acls: grants.slice(1).map((acl) => Object.assign(acl, { user_id: id })),
      });
      expect((await query(`project('${project.id}')`)).json()['data']).to.deep.equal([
        { id: shown.name },
      ]);
      expect(await outcome(query(`experiment('${hidden.id}')`))).to.deep.equal([
        400,
        `query line 1, column 31: no experiment with the id "${hidden.id}" that this key may use`,
      ]);
      expect((await listed('/v1/experiment', token)).map((each) => each.id)).to.deep.equal([
        shown.id,
      ]);
    });

    it('of an object is no permission to change it, and a refusal of that names the object', async () => {
      const { id, service_token: token } = await addAccount();
      const project = await createProject(server());
      const { id: experiment, name } = await createExperiment(server(), project.id);
      const acl = { object_type: 'experiment', object_id: experiment, permission: 'read' };
      await ask('POST', '/v1/acl/batch_update', {
        add_acls: [Object.assign(acl, { user_id: id })],
      });
      const path = `/v1/experiment/${experiment}/insert`;
      expect(await outcome(ask('POST', path, { events: [{ input: 1 }] }, token))).to.deep.equal([
        403,
        `this key may not change the experiment ${JSON.stringify(name)}`,
      ]);
    });

    it('of everything is no permission to see keys and ACLs, whose refusal names none', async () => {
      const { id, service_token: token } = await addAccount();
      const grant = { object_type: 'organization', object_id: organization, permission: 'read' };
      const acl = await json('POST', '/v1/acl', { ...grant, user_id: id });
      const [key] = await listed('/v1/api_key?api_key_name=configured');
      const { id: other } = await addAccount();
      const body = { name: 'other', service_account_id: other };
      const serviceToken = await json('POST', '/v1/service_token', body);
      for (const [kind, object] of Object.entries({
        acl,
        api_key: key!,
        service_token: serviceToken,
      })) {
        const there = String(object['id']);
        const path = `/v1/${kind}/${there}`;
        expect(await outcome(ask('GET', path, undefined, token))).to.deep.equal([
          403,
          `no ${kind} with the id "${there}" that this key may use`,
        ]);
      }
    });

    it('of what may not be read is answered like what there is not', async () => {
      const { service_token: token } = await addAccount();
      const project = await createProject(server());
      const [there, absent] = [await createExperiment(server(), project.id), { id: randomUUID() }];
      for (const [method, rest] of [
        ['GET', ''],
        ['PATCH', ''],
        ['DELETE', ''],
        ['GET', '/fetch'],
        ['POST', '/insert'],
        ['GET', '/summarize'],
      ] as const) {
        const texts = [];
        for (const { id } of [there, absent]) {
          const answer = await ask(method, `/v1/experiment/${id}${rest}`, undefined, token);
          const headers = [...answer.headers].filter(
            ([name]) => !['date', 'x-request-id'].includes(name),
          );
          texts.push(JSON.stringify([answer.status, answer.text, headers]).replaceAll(id, 'ID'));
        }
        expect(texts[0]).to.equal(texts[1]);
      }
    });

    it('of a name that is taken by what may not be read needs the permission to create', async () => {
      const { id, service_token: token } = await addAccount();
      const taken = await createProject(server());
      const text = `this key may not create a project in the organisation "${organization}"`;
      for (const name of [taken.name, randomUUID()])
        for (const [path, body] of [
          ['/v1/project', { name }],
          ['/api/project/register', { project_name: name }],
        ] as const)
          expect(await outcome(ask('POST', path, body, token))).to.deep.equal([403, text]);
      for (const name of [taken.name, randomUUID()]) {
        const parent = `project_name:${name}`;
        const sent = { key: token, ...inHeader(parent) };
        expect(await sendSpans(server(), [span()], sent), parent).to.deep.equal([
          403,
          `resourceSpans[0].scopeSpans[0].spans[0]: the header x-bt-parent: ${text}`,
        ]);
      }
      await ask('POST', '/v1/acl', {
        object_type: 'project',
        object_id: taken.id,
        user_id: id,
        permission: 'read',
      });
      const found = await ask('POST', '/v1/project', { name: taken.name }, token);
      expect(found.json()).to.deep.equal(taken);
    });

    it('of the commit of a new one is not its base, and hides no other', async () => {
      const { id, service_token: token } = await addAccount();
      const project = await createProject(server());
      const at = async (commit: string) =>
        (await createExperiment(server(), project.id, { repo_info: { commit } })).id;
      const farther = await at('farther');
      const readable = await at('near');
      const unreadable = await at('near');
      const nearest = await at('nearest');
      const grant = (object_type: string, object_id: string, permission: string) => ({
        object_type,
        object_id,
        user_id: id,
        permission,
      });
      await ask('POST', '/v1/acl/batch_update', {
        add_acls: [
          { ...grant('project', project.id, 'read'), restrict_object_type: 'project' },
          { ...grant('project', project.id, 'create'), restrict_object_type: 'experiment' },
          grant('experiment', farther, 'read'),
          grant('experiment', readable, 'read'),
        ],
      });
      const base = async (key: string) => {
        const made = await json(
          'POST',
          '/api/experiment/register',
          { project_id: project.id, ancestor_commits: ['nearest', 'near', 'farther'] },
          key,
        );
        return (made['experiment'] as StoredObject)['base_exp_id'];
      };
      expect(await base(token)).to.equal(readable);
      expect(await base(server().key)).to.equal(nearest);
      await ask('DELETE', `/v1/experiment/${nearest}`);
      expect(await base(server().key)).to.equal(unreadable);
    });

    const ofOwners = ['buffered', 'queries', 'deleted_bytes', 'disk', 'maintenance'];

    it('of sizes needs all of a project, and of the whole server an owner', async () => {
      const project = await createProject(server());
      const { id, service_token: token } = await addAccount();
      const grant = {
        object_type: 'project',
        object_id: project.id,
        user_id: id,
        permission: 'read',
      };
      const state = async (key: string) => {
        const { projects, ...status } = await json('GET', '/status', undefined, key);
        const { text } = await ask('GET', '/metrics', undefined, key);
        const isListed = (projects as readonly StoredObject[]).some(
          (each) => each['project_id'] === project.id,
        );
        expect(text).to.include('evalstore_info');
        expect(text.includes(project.id)).to.equal(isListed);
        const ofServer = /^(?:evalstore_(?:request|buffered|queries|deleted)|process)_/m.test(text);
        return {
          isListed,
          ofServer,
          hasNumbers: ofOwners.filter((name) => status[name] !== null),
        };
      };
      const none = { ofServer: false, hasNumbers: [] };
      expect(await state(token)).to.deep.equal({ isListed: false, ...none });
      await json('POST', '/v1/acl', { ...grant, restrict_object_type: 'project' });
      expect(await state(token)).to.deep.equal({ isListed: false, ...none });
      await json('POST', '/v1/acl', grant);
      expect(await state(token)).to.deep.equal({ isListed: true, ...none });
      expect(await state(server().key)).to.deep.equal({
        isListed: true,
        ofServer: true,
        hasNumbers: ofOwners,
      });
    });
  });
});
