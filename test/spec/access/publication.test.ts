// Who may make an experiment public, and what requests without a key read of it.
import { expect } from 'chai';
import { createExperiment, createProject, type StoredObject } from '../../support/objects.js';
import { outcome, sharedServer } from '../../support/start-server.js';
import { asking } from './asking.js';

describe('access: public experiments', () => {
  const server = sharedServer();
  const { ask, json, addAccount } = asking(server);
  let project: StoredObject;

  before(async () => {
    project = await createProject(server());
  });

  it('are published by those who may read them', async () => {
    const { id } = await createExperiment(server(), project.id);
    const { id: user, service_token: token } = await addAccount();
    const grant = (permission: string) =>
      json('POST', '/v1/acl', {
        object_type: 'experiment',
        object_id: id,
        user_id: user,
        permission,
      });
    const change = (fields: object) => ask('PATCH', `/v1/experiment/${id}`, fields, token);
    await grant('update');
    expect(await outcome(change({ public: true }))).to.deep.equal([
      403,
      'public: this key may not read the experiment, so it may not publish it',
    ]);
    expect((await change({ public: false, description: 'd' })).status).to.equal(200);
    await grant('read');
    expect((await change({ public: true })).json()['public']).to.equal(true);
  });
});
