import { expect } from 'chai';
import { createProject, listObjects, type StoredObject } from '../support/objects.js';
import { openServer } from '../support/hosted-server.js';
import { outcome, sharedServer } from '../support/start-server.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

for (const kind of ['prompt', 'function'] as const)
  describe(`the slug of a ${kind}`, () => {
    const server = sharedServer();
    const directory = temporaryDirectory();
    const data = kind === 'function' ? { function_data: { type: 'other' } } : {};

    async function makers(at = server()) {
      const { id: project_id } = await createProject(at);
      const create = async (slug: string) =>
        (
          await at.request('POST', `/v1/${kind}`, { project_id, name: 'n', slug, ...data })
        ).json() as StoredObject;
      const patch = (id: string, slug: string) =>
        at.request('PATCH', `/v1/${kind}/${id}`, { slug });
      return { project_id, create, patch };
    }

    it('changes, and lists find each version under its own, also after a restart', async () => {
      const first = await openServer({ dir: directory() });
      const { project_id, create, patch } = await makers(first);
      const made = await create('before');
      const moved = (await patch(made.id, 'after')).json() as StoredObject;
      expect(moved).to.deep.equal({ ...made, _xact_id: moved['_xact_id'], slug: 'after' });
      const found = async (at: typeof first) => {
        const list = (slug: string, version = '') =>
          listObjects(at, `/v1/${kind}?project_id=${project_id}&slug=${slug}${version}`);
        const then = `&version=${String(made['_xact_id'])}`;
        return [
          await list('before'),
          await list('after'),
          await list('before', then),
          await list('after', then),
        ];
      };
      expect(await found(first)).to.deep.equal([[], [moved], [made], []]);
      await first.stop();
      const again = await openServer({ dir: first.dir });
      const kept = await found(again);
      const { id } = await (await makers(again)).create('before');
      await again.stop();
      expect(kept).to.deep.equal([[], [moved], [made], []]);
      expect(id).not.to.equal(made.id);
    });

    it('is free again once it has changed', async () => {
      const { create, patch } = await makers();
      const made = await create('before');
      await patch(made.id, 'after');
      expect((await create('before')).id).not.to.equal(made.id);
      expect((await create('after')).id).to.equal(made.id);
    });

    it('is refused if another one of the project has it', async () => {
      const { create, patch } = await makers();
      await create('taken');
      const { id } = await create('own');
      expect((await patch(id, 'own')).json()).to.include({ id, slug: 'own' });
      expect(await outcome(patch(id, 'taken'))).to.deep.equal([
        400,
        `slug: another ${kind} already has the slug "taken"`,
      ]);
    });
  });
