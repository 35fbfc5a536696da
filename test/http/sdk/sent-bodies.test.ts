// Every field that a published SDK sends is accepted; what an object keeps is in the answer.
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import {
  createDataset,
  createExperiment,
  createNamed,
  createProject,
} from '../../support/objects.js';
import { sharedServer, type Json } from '../../support/start-server.js';
import { sentRequests, type Sent } from './sent-bodies.js';

const nothing = randomUUID();

/** Only for the titles of the tests. */
const sample: Sent = {
  org_id: nothing,
  org_name: '',
  project_id: nothing,
  project_name: '',
  experiment_id: nothing,
  dataset_id: nothing,
  prompt_id: nothing,
  user_id: nothing,
  name: '',
};

describe('requests of the published SDKs', () => {
  const server = sharedServer();
  let sent: Sent;

  before(async () => {
    const { id: project_id, name: project_name } = await createProject(server());
    const base = await createExperiment(server(), project_id);
    const experiment = await createExperiment(server(), project_id, { base_exp_id: base.id });
    const prompt = { project_id, name: 'p', slug: 'sent' };
    const identity = await server().get('/ping');
    sent = {
      org_id: identity['org_id'] as string,
      org_name: identity['org_name'] as string,
      project_id,
      project_name,
      experiment_id: experiment.id,
      dataset_id: (await createDataset(server(), { project_id })).id,
      prompt_id: (await createNamed(server(), 'prompt', prompt)).id,
      user_id: identity['id'] as string,
      name: '',
    };
  });

  for (const [index, { operation }] of sentRequests(sample).entries()) {
    const title = operation.replaceAll(nothing, 'ID').split('?')[0]!;
    it(`${title} (${index + 1})`, async () => {
      const named = { ...sent, name: randomUUID() };
      const request = sentRequests(named)[index]!;
      const [method, path] = request.operation.split(' ') as [string, string];
      const answer = await server().request(method, path, request.body);
      expect(answer.status, answer.text).to.equal(200);
      const others = new Set(request.others?.split(' '));
      const kept = Object.entries(request.body ?? {}).filter(([name]) => !others.has(name));
      if (kept.length > 0) expect(answer.json()).to.deep.include(Object.fromEntries(kept) as Json);
    });
  }

  it('a token of an invited service account expires as it was asked to', async () => {
    const service_accounts = [
      { name: randomUUID(), token_name: 'short', token_expires_in_seconds: 3600 },
    ];
    const before = Date.now();
    await server().request('PATCH', '/v1/organization/members', {
      invite_users: { service_accounts },
    });
    const { objects } = await server().get('/v1/service_token?service_token_name=short&limit=1');
    const [{ expires }] = objects as readonly [{ expires: string }];
    expect(Date.parse(expires)).to.be.within(before + 3_600_000, Date.now() + 3_600_000);
  });
});
