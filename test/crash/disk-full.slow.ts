// A disk that fills up under a running server, and has room again later: a small file system in memory. Without a reserve inserts
// take its last byte, with one they do not.
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { checkStore } from '../../src/store/check/check-store.js';
import { createProject } from '../support/objects.js';
import { decodeEvents } from '../support/decode-events.js';
import { experiment, openStore } from '../support/open-store.js';
import { startServer, type ServerProcess } from '../support/start-server.js';
import { waitUntil } from '../support/wait-until.js';
import { expectKept, insert, newLedger, type Ledger } from './ledger.js';

const megabyte = 2 ** 20;
const diskMegabytes = 48;
const canMount = process.platform === 'linux' && process.getuid?.() === 0;
const rowsUntilFlush = {
  'while rows are buffered': '1000000',
  'while segments are written': '100',
};

const noReserve = { EVALSTORE_DISK_RESERVE_MB: '0' };

/** Leaves no room for another block. */
async function fill(disk: string): Promise<void> {
  const isWritten = (number: number) =>
    writeFile(path.join(disk, `filling-${number}`), Buffer.alloc(4096)).then(
      () => true,
      () => false,
    );
  for (let number = 0; await isWritten(number); number++);
}

async function freeBytes(disk: string): Promise<number> {
  const { bavail, bsize } = await statfs(disk);
  return bavail * bsize;
}

/** Inserts until the server has refused several, while queries run. */
async function insertUntilRefused(
  server: ServerProcess,
  where: string,
  ledger: Ledger,
): Promise<void> {
  const done = new AbortController();
  const id = where.split('/').at(-1)!;
  const query = `measures: count(*) as count, max(input) as last | from: project_logs('${id}')`;
  const querying = (async () => {
    while (!done.signal.aborted)
      expect((await server.request('POST', '/query', { query })).status).to.equal(200);
  })();
  const insertSome = async () => {
    for (let refused = 0; refused < 4;)
      if ((await insert(server, where, ledger)) === 503) refused += 1;
  };
  const inserting = Promise.all([insertSome(), insertSome(), insertSome()]);
  await Promise.all([inserting.finally(() => done.abort()), querying]);
}

const hasSegments = async (directory: string): Promise<boolean> =>
  (await readdir(path.join(directory, 'segments'), { recursive: true })).some((name) =>
    /\d\.parquet$/.test(name),
  );

(canMount ? describe : describe.skip)(
  `a full disk${canMount ? '' : ' (left out: only root may mount a small one)'}`,
  () => {
    let disk: string;

    beforeEach(async () => {
      disk = await mkdtemp(path.join(tmpdir(), 'evalstore-disk-'));
      const options = ['-t', 'tmpfs', '-o', `size=${diskMegabytes}m`, 'tmpfs', disk];
      const { status, stderr } = spawnSync('mount', options, { encoding: 'utf8' });
      expect(status, stderr).to.equal(0);
    });
    afterEach(async () => {
      spawnSync('umount', [disk]);
      await rm(disk, { recursive: true, force: true });
    });

    for (const [moment, flushRows] of Object.entries(rowsUntilFlush))
      it(`${moment}: inserts answer 503, reads go on, and with room again inserts do, too`, async () => {
        const directory = path.join(disk, 'data');
        const ballast = path.join(disk, 'ballast');
        await mkdir(directory);
        await writeFile(ballast, Buffer.alloc(32 * megabyte));
        const server = await startServer({
          dir: directory,
          environment: { EVALSTORE_FLUSH_ROWS: flushRows, ...noReserve },
        });
        try {
          const where = `/v1/project_logs/${(await createProject(server)).id}`;
          const ledger = newLedger();
          let status = 200;
          while (status === 200) status = await insert(server, where, ledger);
          expect(status).to.equal(503);
          for (let times = 0; times < 5; times++) await insert(server, where, ledger);
          expect(ledger.refused).to.not.deep.equal([]);
          expect(server.log()).to.match(/"level":50.*the storage is full or cannot be written/);
          await expectKept(server, where, ledger);
          const page = await server.get(`${where}/fetch?limit=3`);
          expect(page['events']).to.have.length(3);

          await rm(ballast);
          await waitUntil(
            'inserts work',
            async () => (await insert(server, where, ledger)) === 200,
          );
          expect(await insert(server, where, ledger)).to.equal(200);
          if (flushRows !== '1000000') await waitUntil('segments', () => hasSegments(directory));
          await expectKept(server, where, ledger);
          await server.kill();
          const again = await startServer({ dir: directory });
          await expectKept(again, where, ledger);
          await again.stop();
          expect(await checkStore(directory)).to.deep.equal([]);
        } finally {
          await server.kill();
        }
      });

    it('when it is full at the start: inserts answer 503, reads go on, and with room again inserts do, too', async () => {
      const directory = path.join(disk, 'data');
      const ballast = path.join(disk, 'ballast');
      await mkdir(directory);
      await writeFile(ballast, Buffer.alloc(38 * megabyte));
      const options = {
        dir: directory,
        environment: { EVALSTORE_FLUSH_ROWS: '1000000', ...noReserve },
      };
      const killed = await startServer(options);
      const where = `/v1/project_logs/${(await createProject(killed)).id}`;
      const ledger = newLedger();
      while ((await insert(killed, where, ledger)) === 200);
      await killed.kill();
      await fill(disk);
      const server = await startServer(options);
      try {
        await expectKept(server, where, ledger);
        let status = 200;
        while (status === 200) status = await insert(server, where, ledger);
        expect(status).to.equal(503);
        await rm(ballast);
        await expectKept(server, where, ledger);
        const answers = async () => (await insert(server, where, ledger)) === 200;
        await waitUntil('inserts work', answers);
        await expectKept(server, where, ledger);
      } finally {
        await server.kill();
      }
    });

    it('with a reserve: inserts leave it while merges and queries run, and go on when a file is removed', async () => {
      const directory = path.join(disk, 'data');
      const ballast = path.join(disk, 'ballast');
      await mkdir(directory);
      await writeFile(ballast, Buffer.alloc(20 * megabyte));
      const options = {
        dir: directory,
        environment: { EVALSTORE_FLUSH_ROWS: '100' },
        tuning: { compaction: { fanOut: 3 } },
      };
      const server = await startServer(options);
      try {
        const where = `/v1/project_logs/${(await createProject(server)).id}`;
        const ledger = newLedger();
        await insertUntilRefused(server, where, ledger);
        expect(ledger.answered).to.have.length.above(100);
        expect(await freeBytes(disk)).to.be.above(megabyte);
        expect(server.log()).to.include('the disk is almost full').and.not.include('"level":50');
        await fill(disk);
        for (let times = 0; times < 5; times++)
          expect(await insert(server, where, ledger)).to.equal(503);
        await expectKept(server, where, ledger);

        for (const name of await readdir(disk))
          if (name !== 'data') await rm(path.join(disk, name));
        const { length } = ledger.answered;
        const isStored = async () => (await insert(server, where, ledger)) === 200;
        await waitUntil('inserts are stored', isStored);
        await insertUntilRefused(server, where, ledger);
        expect(ledger.answered).to.have.length.above(length + 100);
        await expectKept(server, where, ledger);
        await server.kill();
        const again = await startServer(options);
        await expectKept(again, where, ledger);
        await again.stop();
        expect(await checkStore(directory)).to.deep.equal([]);
      } finally {
        await server.kill();
      }
    });

    it('with a reserve: a deleted project is purged, and inserts go on', async () => {
      const directory = path.join(disk, 'data');
      const errors: unknown[] = [];
      const { store, ...opened } = await openStore(directory, {
        compaction: { fanOut: 3 },
        hooks: { failed: (error) => errors.push(error) },
      });
      const kept: string[] = [];
      const isStored = async (projectId: string) => {
        const ids = Array.from({ length: 20 }, () => randomBytes(8).toString('hex'));
        const events = ids.map((id) => ({ id, input: randomBytes(6000).toString('base64') }));
        const object = experiment(projectId, projectId);
        const decoded = decodeEvents('experiment', JSON.stringify({ events }));
        try {
          await store.insert([{ object, events: decoded }]);
        } catch (error) {
          expect((error as Error).message).to.include('nothing was stored');
          return false;
        }
        if (projectId === 'kept') kept.push(...ids);
        return true;
      };
      try {
        expect(await isStored('kept')).to.equal(true);
        for (let refused = 0; refused < 3;) {
          if (!(await isStored('unwanted'))) {
            refused += 1;
            await store.flush();
          }
        }
        expect(await freeBytes(disk)).to.be.above(megabyte);
        expect(await isStored('kept')).to.equal(false);
        store.purge(['unwanted']);
        await waitUntil('inserts are stored', () => isStored('kept'));
        for (let times = 0; times < 50; times++) await isStored('kept');
        await store.flush();
        expect(Object.keys(await opened.live('kept')).sort()).to.deep.equal(kept.sort());
        expect([...store.stats().projects.keys()]).to.deep.equal(['kept']);
        expect(errors).to.deep.equal([]);
      } finally {
        await opened.close();
      }
      expect(await checkStore(directory)).to.deep.equal([]);
    });
  },
);
