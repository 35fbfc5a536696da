// Requests that change a thousand objects at once, beside the requests of another key, which changes objects, too.
import { expect } from 'chai';
import { createExperiment, createNamed, createProject } from '../support/objects.js';
import { sharedProcess } from '../support/start-server.js';
import { asking, type Added } from '../spec/access/asking.js';
import { openBystander } from './bystander.js';

const membersMax = 1_000;

async function timed<T>(name: string, work: () => Promise<T>): Promise<T> {
  const start = performance.now();
  const result = await work();
  console.log(`      ${name}: ${(performance.now() - start).toFixed(0)} ms`);
  return result;
}

describe('attack: changes of many objects by one key', () => {
  const server = sharedProcess();
  const { ask, addAccount } = asking(server);

  const invite = async (name: number): Promise<readonly Added[]> => {
    const service_accounts = Array.from({ length: membersMax }, (_, index) => ({
      name: `${name} ${index}`,
      token_name: 't',
    }));
    const { status, text, json } = await ask('PATCH', '/v1/organization/members', {
      invite_users: { service_accounts },
    });
    expect(status, text).to.equal(200);
    return json()['added_users'] as readonly Added[];
  };

  it('let others in: requests for service accounts, and their removal', async () => {
    const bystander = await openBystander(server());
    const { service_token: other } = await addAccount(['Engineers']);
    const project = await createProject(server());
    const order: string[] = [];
    const added = await bystander.beside(() =>
      timed('invitations', async () => {
        const invited = Promise.all(
          Array.from({ length: 4 }, async (_, index) => {
            const users = await invite(index);
            order.push('attack');
            return users;
          }),
        );
        const experiment = { project_id: project.id };
        const { status, text } = await timed('an experiment of another key', () =>
          ask('POST', '/v1/experiment', experiment, other),
        );
        order.push('other');
        expect(status, text).to.equal(200);
        return (await invited).flat();
      }),
    );
    expect(order.indexOf('other')).to.be.below(3);
    await bystander.beside(() =>
      timed('removal', async () => {
        const ids = added.slice(0, membersMax).map(({ id }) => id);
        const { status, text } = await ask('PATCH', '/v1/organization/members', {
          remove_users: { ids },
        });
        expect(status, text).to.equal(200);
      }),
    );
  });

  it('let others in: ACLs and functions', async () => {
    const bystander = await openBystander(server());
    const project = await createProject(server());
    const group = await createNamed(server(), 'group');
    const experiments = await Promise.all(
      Array.from({ length: 250 }, () => createExperiment(server(), project.id)),
    );
    const acls = experiments.flatMap(({ id }) =>
      ['read', 'create', 'update', 'delete'].map((permission) => ({
        object_type: 'experiment',
        object_id: id,
        group_id: group.id,
        permission,
      })),
    );
    const functions = Array.from({ length: 500 }, (_, index) => ({
      project_id: project.id,
      name: `f${index}`,
      slug: `f${index}`,
      function_data: { type: 'prompt' },
      prompt_data: { prompt: { type: 'completion', content: 'x' } },
    }));
    const requests = [
      ['/v1/acl/batch_update', { add_acls: acls }],
      ['/v1/acl/batch_update', { remove_acls: acls }],
      ['/insert-functions', { functions }],
      ['/insert-functions', { functions }],
    ] as const;
    await bystander.beside(async () => {
      for (const [path, body] of requests) {
        const { status, text } = await timed(path, () => ask('POST', path, body));
        expect(status, text).to.equal(200);
      }
    });
  });
});
