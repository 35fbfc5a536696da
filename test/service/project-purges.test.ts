// The events of a deleted project are removed from disk when the configured number of days has passed.
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { DamagedFileError } from '../../src/catalog/body-files.js';
import { purgeProjects } from '../../src/service/object/project-purges.js';
import { backdateDeletion } from '../support/backdated-deletion.js';
import { createProject } from '../support/objects.js';
import { rejection } from '../support/rejection.js';
import { serve } from '../support/serve.js';
import { startServer } from '../support/start-server.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { waitUntil } from '../support/wait-until.js';

const dayMs = 86_400_000;

describe('deleted projects', () => {
  const directory = temporaryDirectory();

  const folder = (projectId: string) =>
    path.join(directory(), 'segments', `project_id=${projectId}`);

  /** Returns the ids of a project that was deleted and of one that was not, each with an event in a segment. */
  async function fill(): Promise<{ readonly deleted: string; readonly live: string }> {
    const server = await startServer({ dir: directory(), tuning: {} });
    const [{ id: deleted }, { id: live }] = [
      await createProject(server),
      await createProject(server),
    ];
    for (const id of [deleted, live])
      await server.request('POST', `/v1/project_logs/${id}/insert`, { events: [{ id: 'a' }] });
    await server.settle();
    expect((await server.request('DELETE', `/v1/project/${deleted}`)).status).to.equal(200);
    await server.stop();
    return { deleted, live };
  }

  it('are purged after the configured number of days, not before, and never without one', async () => {
    const { deleted, live } = await fill();
    const served = await serve(directory(), []);
    const { services } = served;
    const left = async (purgeDays: number, days: number) => {
      const config = { ...services.config, purgeDays };
      await purgeProjects({ ...services, config }, Date.now() + days * dayMs);
      await services.store.flush();
      return [...services.store.stats().projects.keys()];
    };
    expect(await left(0, 10_000)).to.have.members([deleted, live]);
    expect(await left(30, 29)).to.have.members([deleted, live]);
    expect(await left(30, 31)).to.deep.equal([live]);
    await served.close();
  });

  it('are purged also if the file of another one is missing', async () => {
    const server = await startServer({ dir: directory(), tuning: {} });
    const description = 'd'.repeat(20_000);
    const damaged = await createProject(server, { description });
    const intact = await createProject(server);
    for (const { id } of [damaged, intact])
      await server.request('POST', `/v1/project_logs/${id}/insert`, { events: [{ id: 'a' }] });
    await server.settle();
    for (const { id } of [damaged, intact])
      expect((await server.request('DELETE', `/v1/project/${id}`)).status).to.equal(200);
    await server.stop();
    await rm(path.join(directory(), 'objects'), { recursive: true });
    const served = await serve(directory(), []);
    const { services } = served;
    const config = { ...services.config, purgeDays: 30 };
    const purge = purgeProjects({ ...services, config }, Date.now() + 31 * dayMs);
    expect(await rejection(purge)).to.be.instanceOf(DamagedFileError);
    await services.store.flush();
    expect([...services.store.stats().projects.keys()]).to.deep.equal([damaged.id]);
    await served.close();
  });

  it('are purged at the start of a server that has EVALSTORE_PURGE_DAYS', async () => {
    const { deleted, live } = await fill();
    await backdateDeletion(directory(), deleted);
    const unset = await startServer({ dir: directory() });
    await unset.stop();
    expect(existsSync(folder(deleted))).to.equal(true);
    const environment = { EVALSTORE_PURGE_DAYS: '2' };
    const server = await startServer({ dir: directory(), environment });
    const line = () =>
      /^.*"a segment of a deleted project was removed".*$/m.exec(server.log())?.[0];
    await waitUntil(
      'the segment is removed',
      () => !existsSync(folder(deleted)) && line() !== undefined,
    );
    expect(JSON.parse(line()!)).to.deep.include({ projectId: deleted, rows: 1 });
    expect(existsSync(folder(live))).to.equal(true);
    await server.stop();
  });
});
