// The state of the server: counts that agree with what was written.
import { expect } from 'chai';
import { statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { createProject } from '../support/objects.js';
import { openServer } from '../support/hosted-server.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { waitUntil } from '../support/wait-until.js';

interface Status {
  readonly started: string;
  readonly last_xact_id: string;
  readonly buffered: {
    readonly rows: number;
    readonly bytes: number;
    readonly age_seconds: number;
  };
  readonly queries: object;
  readonly deleted_bytes: number;
  readonly disk: {
    readonly free_bytes: number;
    readonly folders: Readonly<Record<string, number>>;
    readonly growth_bytes_per_day: number | null;
    readonly days_left: number | null;
  };
  readonly maintenance: readonly {
    readonly task: string;
    readonly runs: number;
    readonly succeeded: string | null;
  }[];
  readonly projects: readonly Readonly<Record<string, unknown>>[];
}

describe('state of the server', () => {
  const directory = temporaryDirectory();

  it('counts what is buffered, and by project what is in segments', async () => {
    const server = await openServer({ dir: directory(), tuning: {} });
    const status = async () => (await server.get('/status')) as unknown as Status;
    const { id } = await createProject(server, { name: 'p' });
    const insert = async (events: readonly object[]) =>
      (await server.request('POST', `/v1/project_logs/${id}/insert`, { events })).headers.get(
        'x-evalstore-version',
      );
    await insert([{ id: 'a' }, { id: 'b' }]);
    const version = await insert([{ id: 'a', input: 'again' }]);
    const before = await status();
    expect(Date.parse(before.started)).to.be.below(Date.now());
    expect(before.last_xact_id).to.equal(version);
    expect(before.buffered.rows).to.equal(3);
    expect(before.buffered.bytes).to.be.above(100);
    await waitUntil('the oldest row has an age', async () => {
      return (await status()).buffered.age_seconds > 0;
    });
    const { disk } = before;
    expect([disk.growth_bytes_per_day, disk.days_left]).to.deep.equal([null, null]);
    expect(disk.free_bytes).to.be.above(0);
    const runs = before.maintenance.map((each) => [each.task, each.runs, each.succeeded]);
    expect(runs).to.deep.equal(
      ['flush', 'merge', 'purge', 'removal'].map((task) => [task, 0, null]),
    );
    expect(before.queries).to.deep.equal({ running: 0, waiting: 0 });
    const none = { segments: 0, rows: 0, superseded_rows: 0, bytes: 0 };
    expect(before.projects).to.deep.equal([{ project_id: id, project_name: 'p', ...none }]);
    await server.settle();
    const after = await status();
    expect(after.buffered).to.deep.equal({ rows: 0, bytes: 0, age_seconds: 0 });
    const [flush] = after.maintenance;
    expect(flush!.runs).to.equal(1);
    expect(Date.parse(flush!.succeeded!)).to.be.within(Date.parse(before.started), Date.now());
    const [project = {}] = after.projects;
    const files = path.join(directory(), 'segments', `project_id=${id}`);
    const sizes = (await readdir(files))
      .filter((name) => /^\d+\./.test(name))
      .map((name) => statSync(path.join(files, name)).size);
    expect(sizes).to.have.length.above(2);
    expect(project['bytes']).to.equal(sizes.reduce((sum, size) => sum + size, 0));
    expect({ ...project, bytes: 0 }).to.deep.equal({
      ...before.projects[0],
      segments: 1,
      rows: 3,
      superseded_rows: 1,
    });
    await server.stop();
  });

  it('has the bytes of deleted projects, which stay on disk', async () => {
    const server = await openServer({ dir: directory(), tuning: {} });
    const status = async () => (await server.get('/status')) as unknown as Status;
    const metric = async () =>
      /^evalstore_deleted_bytes (\d+)$/m.exec((await server.request('GET', '/metrics')).text)?.[1];
    const made = ['kept', 'deleted', 'also deleted'].map(async (name) => {
      const { id } = await createProject(server, { name });
      await server.request('POST', `/v1/project_logs/${id}/insert`, { events: [{ id: name }] });
      return id;
    });
    const [, ...deleted] = await Promise.all(made);
    await server.settle();
    const before = await status();
    expect([before.deleted_bytes, await metric()]).to.deep.equal([0, '0']);
    for (const id of deleted) await server.request('DELETE', `/v1/project/${id}`);
    const bytes = before.projects
      .filter(({ project_id }) => deleted.includes(project_id as string))
      .reduce((sum, project) => sum + (project['bytes'] as number), 0);
    expect(bytes).to.be.above(200);
    const { deleted_bytes, projects } = await status();
    expect([deleted_bytes, await metric()]).to.deep.equal([bytes, `${bytes}`]);
    expect(projects.map((project) => project['project_name'])).to.deep.equal(['kept']);
    await server.stop();
  });
});
