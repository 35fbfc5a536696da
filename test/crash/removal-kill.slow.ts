// SIGKILL at the named points of retention and erasure, beside a history that ends: the jobs go on, and the answers are the expected ones.
import { cp, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { checkStore } from '../../src/store/check/check-store.js';
import type { SyncPoint } from '../../src/store/file/sync-point.js';
import { endOfJob } from '../support/jobs.js';
import { createProject } from '../support/objects.js';
import { startServer, type Json, type TestServer } from '../support/start-server.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { textsOnDisk } from '../support/texts-on-disk.js';
import { waitUntil } from '../support/wait-until.js';

const dayMs = 86_400_000;
const preload = fileURLToPath(new URL('../support/moved-clock.cjs', import.meta.url));
const secrets = ['Ann Smith', 'expired text', 'first words'];

/** The n-th time that the server reaches the step: when the list is written, when the log has left, and in rewrites. */
const points: readonly (readonly [SyncPoint, number])[] = [
  ['segment-written', 1],
  ['log-removed', 1],
  ['compaction-middle', 2],
  ['segment-placed', 3],
  ['published', 3],
  ['published', 5],
];

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('SIGKILL while events are removed', () => {
  const directory = temporaryDirectory();
  let logs: string;
  let others: readonly Json[];

  const start = (dir: string, diesAt?: { readonly step: SyncPoint; readonly times: number }) =>
    startServer({
      dir,
      environment: {
        EVALSTORE_HISTORY_DAYS: '1',
        EVALSTORE_TEST_CLOCK: path.join(directory(), 'clock'),
        NODE_OPTIONS: `--require=${preload}`,
      },
      tuning: {
        segments: { narrowRowsMin: 1 },
        compaction: { fanOut: 100 },
        ...(diesAt === undefined ? {} : { diesAt }),
      },
    });

  const events = async (server: TestServer) =>
    (await server.events(`project_logs/${logs}`)).toSorted((left, right) =>
      String(left['id']).localeCompare(String(right['id'])),
    );

  const purge = (server: TestServer) =>
    server.post(`/v1/project_logs/${logs}/purge`, { filter: "metadata.user = 'ann'" });
  const expire = (server: TestServer) => server.post(`/v1/project/${logs}/retention`);

  /** Three segments, each with rows of Ann, expired ones, and superseded ones that the history will not need. */
  async function fill(dir: string): Promise<void> {
    await writeFile(path.join(directory(), 'clock'), String(-2 * dayMs));
    const server = await start(dir);
    logs = (await createProject(server)).id;
    for (const part of [1, 2, 3]) {
      await server.insert(`project_logs/${logs}`, [
        { id: `ann ${part}`, input: `Ann Smith, ${part}`, metadata: { user: 'ann' } },
        { id: `old ${part}`, input: `expired text ${part}`, created: '2024-01-01T00:00:00Z' },
        { id: `other ${part}`, input: `first words ${part}` },
        { id: `kept ${part}`, input: { part, text: 'x'.repeat(100) } },
      ]);
      await server.insert(`project_logs/${logs}`, [{ id: `other ${part}`, input: { part } }]);
      await server.settle();
    }
    others = (await events(server)).filter(({ id }) => /^(other|kept)/.test(String(id)));
    expect(others).to.have.lengthOf(6);
    await server.stop();
    await writeFile(path.join(directory(), 'clock'), '0');
  }

  it('lets the jobs go on, and leaves no byte of what they remove', async () => {
    const filled = path.join(directory(), 'filled');
    await fill(filled);
    for (const [step, times] of points) {
      const what = `${step}, ${times}`;
      const dir = path.join(directory(), what.replace(', ', '-'));
      await cp(filled, dir, { recursive: true });
      let server = await start(dir, { step, times });
      const jobs: string[] = [];
      const ask = async () => {
        await server.insert(`project_logs/${logs}`, [
          { id: 'ann 1', input: 'Ann Smith again', metadata: { user: 'ann' } },
          { id: 'late', input: 'late' },
        ]);
        const settings = { retention_days: 30 };
        await server.request('PATCH', `/v1/project/${logs}`, { settings });
        for (const begin of [expire, purge]) jobs.push(String((await begin(server))['id']));
      };
      const { pid } = server;
      const failure: unknown = await ask().catch((error: unknown) => error);
      const dies = `the server dies at ${what}, ${String(failure)}`;
      await waitUntil(dies, () => !isAlive(pid), 20_000);
      await server.kill();

      server = await start(dir);
      const isLate = (await events(server)).some(({ id }) => id === 'late');
      for (const id of jobs)
        expect(await endOfJob(server, id), what).to.deep.include({ state: 'done', error: null });
      // The kill could come before the answer to a request.
      if (jobs.length < 2)
        for (const begin of [expire, purge])
          await endOfJob(server, String((await begin(server))['id']));
      await server.settle();
      const left = await events(server);
      expect(
        left.filter(({ id }) => id !== 'late'),
        what,
      ).to.deep.equal(others);
      expect(left.some(({ id }) => id === 'late')).to.equal(isLate);
      const { found, rows } = await textsOnDisk(dir, secrets);
      expect(found, what).to.deep.equal([]);
      expect(rows, what).to.be.above(6);
      await server.stop();
      expect(await checkStore(dir), what).to.deep.equal([]);
    }
  });
});
