// Every field that a published SDK sends is accepted; what an object keeps is in the answer.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import {
  createDataset,
  createExperiment,
  createNamed,
  createProject,
} from '../../support/objects.js';
import { sharedServer, type Json } from '../../support/start-server.js';

interface SentRequest {
  /** A method and a path. */
  readonly operation: string;
  readonly body: string | undefined;
  /** The fields of the body that the answer does not have as they were sent. */
  readonly notKept: ReadonlySet<string>;
}

const requests = readFileSync('test/http/sdk/sent-bodies.txt', 'utf8')
  .split('\n\n')
  .slice(1)
  .map((block): SentRequest => {
    const [operation = '', ...lines] = block.trimEnd().split('\n');
    const others = lines.find((line) => line.startsWith('not kept: ')) ?? '';
    const body = lines.find((line) => line.startsWith('{'));
    return { operation, body, notKept: new Set(others.split(' ').slice(2)) };
  });

describe('requests of the published SDKs', () => {
  const server = sharedServer();
  let sent: Readonly<Record<string, string>>;

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
    };
  });

  for (const [index, { operation, body, notKept }] of requests.entries())
    it(`${operation.split('?')[0]} (${index + 1})`, async () => {
      const named: Readonly<Record<string, string>> = { ...sent, name: randomUUID() };
      const filled = (text: string) =>
        text.replaceAll(/<(\w+)>/g, (_, name: string) => named[name]!);
      const [method = '', path = ''] = operation.split(' ');
      const sentBody = body === undefined ? undefined : filled(body);
      const answer = await server().request(method, filled(path), sentBody);
      expect(answer.status, answer.text).to.equal(200);
      const fields = Object.entries(JSON.parse(sentBody ?? '{}') as Json);
      const kept = fields.filter(([name]) => !notKept.has(name));
      if (kept.length > 0) expect(answer.json()).to.deep.include(Object.fromEntries(kept));
    });

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
