import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { feedbackClient, feedbackStorages } from '../support/feedback.js';
import { createNamed, createProject } from '../support/objects.js';
import { outcome, sharedServer } from '../support/start-server.js';

for (const [where, environment] of Object.entries(feedbackStorages))
  describe(`feedback on a prompt, rows ${where}`, () => {
    const server = sharedServer({ environment });
    const { post, write, listed } = feedbackClient(server);
    let projectId: string;

    before(async () => {
      projectId = (await createProject(server())).id;
    });

    const newPrompt = () =>
      createNamed(server(), 'prompt', { project_id: projectId, slug: randomUUID(), tags: ['t'] });
    const sayOf = (id: string, ...feedback: readonly object[]) =>
      write(`/v1/prompt/${id}/feedback`, { feedback });
    const read = (id: string) => server().get(`/v1/prompt/${id}`);

    it('keeps comments, and makes no version', async () => {
      const prompt = await newPrompt();
      const version = await sayOf(prompt.id, { id: prompt.id.toUpperCase(), comment: 'good' });
      const { comments, audit } = await listed(prompt.id, '', 'prompt');
      expect(comments[0]).to.include({
        event_id: prompt.id,
        _xact_id: version,
        comment: 'good',
      });
      expect(audit[0]).to.deep.include({ changes: {}, comment_id: comments[0]?.['id'] });
      expect(await read(prompt.id)).to.deep.equal(prompt);
      const before = `?version=${BigInt(version) - 1n}`;
      expect((await listed(prompt.id, before, 'prompt')).comments).to.deep.equal([]);
    });

    it('replaces the tags as a version of the same transaction', async () => {
      const prompt = await newPrompt();
      const version = await sayOf(
        prompt.id,
        { id: prompt.id, tags: ['a'] },
        { id: prompt.id, tags: ['b'], comment: 'c' },
      );
      const changed = { ...prompt, _xact_id: version, tags: ['b'] };
      expect(await read(prompt.id)).to.deep.equal(changed);
      const list = async (at: unknown) =>
        (await server().get(`/v1/prompt?ids=${prompt.id}&version=${String(at)}`))['objects'];
      expect(await list(prompt['_xact_id'])).to.deep.equal([prompt]);
      expect(await list(version)).to.deep.equal([changed]);
      const { audit } = await listed(prompt.id, '', 'prompt');
      expect(audit.map(({ changes }) => changes)).to.deep.equal([{ tags: ['a'] }, { tags: ['b'] }]);
    });

    it('goes out of reach with it', async () => {
      const { id } = await newPrompt();
      await sayOf(id, { id, comment: 'c' });
      await server().request('DELETE', `/v1/prompt/${id}`);
      const refusal = [403, `no prompt with the id "${id}" that this key may use`];
      const feedback = [{ id, comment: 'c' }];
      expect(await post(`/v1/prompt/${id}/feedback`, { feedback })).to.deep.equal(refusal);
      expect(await outcome(server().request('GET', `/v1/prompt/${id}/feedback`))).to.deep.equal(
        refusal,
      );
    });
  });
