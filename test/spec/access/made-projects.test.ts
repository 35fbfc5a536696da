// Requests that create a project for what they store, by a key that may create projects alone.
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { span } from '../../otlp/spans.js';
import { inHeader, sendSpans } from '../../support/post-spans.js';
import { outcome, sharedServer } from '../../support/start-server.js';
import { asking } from './asking.js';

describe('access: a project that is made for its content', () => {
  const server = sharedServer();
  const { ask, json, listed, addAccount, organizationId } = asking(server);
  let organization: string;
  let token: string;

  before(async () => {
    organization = await organizationId();
    const { id, service_token } = await addAccount();
    token = service_token;
    const on = { object_type: 'organization', object_id: organization, user_id: id };
    await json('POST', '/v1/acl', { ...on, permission: 'create', restrict_object_type: 'project' });
  });

  it('is made by such a key alone', async () => {
    const name = randomUUID();
    expect(
      (await json('POST', '/api/project/register', { project_name: name }, token))['project'],
    ).to.include({ name });
  });

  for (const [kind, path, body] of [
    ['experiment', '/api/experiment/register', {}],
    ['dataset', '/api/dataset/register', { dataset_name: 'd' }],
  ] as const)
    it(`is not made for the ${kind} that the key may not create`, async () => {
      const project_name = randomUUID();
      expect(await outcome(ask('POST', path, { ...body, project_name }, token))).to.deep.equal([
        403,
        `this key may not create a ${kind} in the organisation "${organization}"`,
      ]);
      expect(await listed(`/v1/project?project_name=${project_name}`)).to.deep.equal([]);
    });

  it('is not made for the spans that the key may not insert', async () => {
    const name = randomUUID();
    const sent = { ...inHeader(`project_name:${name}`), key: token };
    expect(await sendSpans(server(), [span()], sent)).to.deep.equal([
      403,
      `resourceSpans[0].scopeSpans[0].spans[0]: the header x-bt-parent: this key may not create a project in the organisation "${organization}"`,
    ]);
    expect(await listed(`/v1/project?project_name=${name}`)).to.deep.equal([]);
  });
});
