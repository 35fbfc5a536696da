// A disk that fills up under a running server, and has room again later: a small file system in memory.
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { checkStore } from '../../src/store/check/check-store.js';
import { createProject } from '../support/objects.js';
import { startServer } from '../support/start-server.js';
import { waitUntil } from '../support/wait-until.js';
import { expectKept, insert, newLedger } from './ledger.js';

const megabyte = 2 ** 20;
const diskMegabytes = 48;
const canMount = process.platform === 'linux' && process.getuid?.() === 0;
const rowsUntilFlush = {
  'while rows are buffered': '1000000',
  'while segments are written': '100',
};

/** Leaves no room for another block. */
async function fill(disk: string): Promise<void> {
  const isWritten = (number: number) =>
    writeFile(path.join(disk, `filling-${number}`), Buffer.alloc(4096)).then(
      () => true,
      () => false,
    );
  for (let number = 0; await isWritten(number); number++);
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
          environment: { EVALSTORE_FLUSH_ROWS: flushRows },
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
      const options = { dir: directory, environment: { EVALSTORE_FLUSH_ROWS: '1000000' } };
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
  },
);
