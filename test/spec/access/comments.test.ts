// Comments of /logs3 replace no entry but those of the same user.
import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { createExperiment, createProject } from '../../support/objects.js';
import { sharedServer, type Json } from '../../support/start-server.js';
import { asking } from './asking.js';

const comment = (id: unknown, text: string) => ({ id, origin: { id: 'e' }, comment: { text } });

describe('access: comments of the SDKs', () => {
  const server = sharedServer();
  const { json, addAccount } = asking(server);
  let experiment_id: string;

  beforeEach(async () => {
    experiment_id = (await createExperiment(server(), (await createProject(server())).id)).id;
    await server().insert(`experiment/${experiment_id}`, [{ id: 'e' }]);
  });

  const feedback = async () =>
    (await server().get(`/v1/experiment/${experiment_id}/feedback`)) as Readonly<
      Record<'comments' | 'audit', readonly Json[]>
    >;

  const addWriter = async () => {
    const account = await addAccount();
    for (const permission of ['read', 'update'])
      await json('POST', '/v1/acl', {
        object_type: 'experiment',
        object_id: experiment_id,
        user_id: account.id,
        permission,
      });
    return account;
  };

  const log = (row: Json, token?: string) =>
    json('POST', '/logs3', { rows: [{ experiment_id, ...row }] }, token);

  it('leave the entries whose ids they name', async () => {
    const { service_token } = await addWriter();
    await server().write(`/v1/experiment/${experiment_id}/feedback`, {
      feedback: [{ id: 'e', comment: 'first', scores: { s: 1 } }],
    });
    const { comments, audit } = await feedback();
    for (const { id } of [...comments, ...audit]) await log(comment(id, 'mine'), service_token);
    const after = await feedback();
    expect(after.comments.slice(0, 1)).to.deep.equal(comments);
    expect(after.audit.slice(0, 1)).to.deep.equal(audit);
    const texts = after.comments.map((each) => each['comment']);
    expect(texts).to.deep.equal(['first', 'mine', 'mine']);
  });

  for (const id of [randomUUID(), 'a text'])
    it(`leave those of other users with the same id: ${id.length === 36 ? 'a UUID' : id}`, async () => {
      const { service_token } = await addWriter();
      await log(comment(id, 'theirs'));
      await log(comment(id, 'mine'), service_token);
      await log(comment(id, 'mine again'), service_token);
      const texts = (await feedback()).comments.map((each) => each['comment']);
      expect(texts).to.deep.equal(['theirs', 'mine again']);
    });

  it('leave the audit entry of the same feedback of another user', async () => {
    const { id: user, service_token } = await addWriter();
    const row = { id: 'e', _is_merge: true, scores: { s: 1 }, _audit_source: 'app' };
    await log(row);
    await log(row, service_token);
    await log(row, service_token);
    const users = (await feedback()).audit.map(({ user_id }) => user_id);
    expect(users).to.have.length(2);
    expect(users[1]).to.equal(user);
  });
});
