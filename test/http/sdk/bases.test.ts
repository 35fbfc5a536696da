// The experiment that the SDKs compare with: one that is deleted or out of reach counts as none.
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { createExperiment, createProject, type StoredObject } from '../../support/objects.js';
import { sharedServer, type Json } from '../../support/start-server.js';
import { scored } from '../../support/summaries.js';
import { asking } from '../../spec/access/asking.js';

describe('the base of an experiment', () => {
  const server = sharedServer();
  const { json, addAccount } = asking(server);
  let project: StoredObject;

  beforeEach(async () => {
    project = await createProject(server());
  });

  const made = async (
    accuracy: number,
    fields: Readonly<Record<string, unknown>> = {},
    { id }: StoredObject = project,
  ): Promise<StoredObject> => {
    const experiment = await createExperiment(server(), id, fields);
    await server().insert(`experiment/${experiment.id}`, [scored('a', 1, accuracy)]);
    return experiment;
  };

  const drop = ({ id }: StoredObject) => server().request('DELETE', `/v1/experiment/${id}`);

  const resume = async (experiment_name: string, key?: string): Promise<Json> => {
    const body = { project_id: project.id, experiment_name, update: true };
    const answer = await server().request(
      'POST',
      '/api/experiment/register',
      body,
      key === undefined ? {} : { key },
    );
    return answer.json()['experiment'] as Json;
  };

  async function scoreOf({ id }: StoredObject, base: string, key?: string): Promise<Json> {
    const path = `/experiment-comparison2?experiment_id=${id}&base_experiment_id=${base}`;
    const options = key === undefined ? {} : { key };
    const answer = await server().request('GET', path, undefined, options);
    return (answer.json()['scores'] as Record<string, Json>)['accuracy']!;
  }

  it('is in the answer to an experiment that goes on until it is deleted', async () => {
    const base = await made(0.5);
    const experiment = await made(1, { name: 'goes on', base_exp_id: base.id });
    expect(await resume('goes on')).to.deep.equal(experiment);
    await drop(base);
    expect(await resume('goes on')).to.deep.equal({ ...experiment, base_exp_id: null });
  });

  it('counts as none in a comparison when it is deleted or unknown', async () => {
    const base = await made(0.5);
    const experiment = await made(1);
    expect(await scoreOf(experiment, base.id)).to.include({ score: 1, diff: 0.5 });
    await drop(base);
    for (const id of [base.id, randomUUID()])
      expect(await scoreOf(experiment, id))
        .to.include({ score: 1 })
        .and.not.to.have.key('diff');
  });

  it('may be public or readable', async () => {
    const elsewhere = await createProject(server());
    const hidden = await made(0.5, {}, elsewhere);
    const shown = await made(0.25, { public: true }, elsewhere);
    const onHidden = await made(1, { name: 'on hidden', base_exp_id: hidden.id });
    const onShown = await made(1, { name: 'on shown', base_exp_id: shown.id });
    const { id: user_id, service_token: key } = await addAccount();
    for (const permission of ['read', 'create', 'update'])
      await json('POST', '/v1/acl', {
        object_type: 'project',
        object_id: project.id,
        user_id,
        permission,
      });
    expect(await resume('on hidden', key)).to.include({ base_exp_id: null });
    expect(await resume('on shown', key)).to.include({ base_exp_id: shown.id });
    expect(await scoreOf(onHidden, hidden.id, key)).not.to.have.any.keys('diff');
    expect(await scoreOf(onShown, shown.id, key)).to.include({ diff: 0.75 });
  });
});
