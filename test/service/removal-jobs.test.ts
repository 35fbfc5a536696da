// Jobs that remove events outlive the process: what a stop interrupts goes on at the next start. test/crash/removal-kill.slow.ts kills it.
import { readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { expireEvents } from '../../src/service/removal/retention.js';
import type { Services } from '../../src/service/context.js';
import { openServer } from '../support/hosted-server.js';
import { endOfJob } from '../support/jobs.js';
import { createProject } from '../support/objects.js';
import { serve } from '../support/serve.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { waitUntil } from '../support/wait-until.js';

const dayMs = 86_400_000;

/** Records a job as a process that is killed before its removal leaves it. */
async function interrupt(services: Services, projectId: string): Promise<string> {
  const { removals, store } = services;
  const { id, file } = removals.records.newFile();
  const snapshot = await store.snapshot();
  const query = snapshot.tombstoned([projectId]);
  await snapshot.writeParquet(query, file, { queue: 'heavy' });
  await snapshot.release();
  const job = { id, kind: 'purge', projectId, objectId: projectId, rows: 7, bytes: 9 } as const;
  await removals.records.begin({ ...job, by: null });
  return id;
}

describe('jobs that remove events', () => {
  const directory = temporaryDirectory();

  const start = () => openServer({ dir: directory() });
  const lists = () => readdir(path.join(directory(), 'jobs'));

  /** A project with the events a and b. */
  async function fill(fields: object = {}): Promise<string> {
    const server = await start();
    const { id } = await createProject(server, { ...fields });
    const created = new Date(Date.now() - 5 * dayMs).toISOString();
    await server.insert(`project_logs/${id}`, [
      { id: 'a', created },
      { id: 'b', created },
    ]);
    await server.stop();
    return id;
  }

  it('go on at the next start, and lists without a job are removed', async () => {
    const project = await fill();
    const served = await serve(directory(), []);
    const id = await interrupt(served.services, project);
    await served.close();
    await writeFile(path.join(directory(), 'jobs', 'left.parquet'), 'left');
    const server = await start();
    // What went before the interruption is in the estimate.
    expect(await endOfJob(server, id)).to.include({ state: 'done', rows: 7, bytes: 9 });
    await waitUntil('no list is left', async () => (await lists()).length === 0);
    await server.stop();
  });

  it('fail in a sentence without their list', async () => {
    const project = await fill();
    const served = await serve(directory(), []);
    const id = await interrupt(served.services, project);
    await served.close();
    await rm(path.join(directory(), 'jobs'), { recursive: true });
    const server = await start();
    expect(await endOfJob(server, id)).to.deep.include({
      state: 'failed',
      rows: 0,
      bytes: 0,
      error:
        'the list of the events is missing, as in a directory that a backup restored: ask for the removal again',
    });
    const { text } = await server.request('GET', '/metrics');
    expect(text).to.match(/^evalstore_job_last_failure_timestamp_seconds\{kind="purge"\} [1-9]/m);
    await server.stop();
  });

  it('of retention start by themselves, one at a time in a project', async () => {
    await fill({ settings: { retention_days: 3 } });
    const served = await serve(directory(), []);
    const { services, lines } = served;
    const { removals, catalog, store } = services;
    const rows = () => removals.times.retention.rows;
    const isIdle = async () => (await removals.records.running()).length === 0;
    await waitUntil('the expired events are gone', async () => rows() === 2 && (await isIdle()));
    await expireEvents({ catalog, store, removals }, Date.now());
    expect([rows(), await isIdle()]).to.deep.equal([2, true]);
    expect(lines.filter((line) => line.includes('"level":50'))).to.deep.equal([]);
    await served.close();
  });
});
