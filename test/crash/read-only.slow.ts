// A data directory that cannot be written any more under a running server: for a while, and for good, as a kernel does it that
// found its disk damaged. A small file system in a file makes both possible for root alone.
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { checkStore } from '../../src/store/check/check-store.js';
import { createProject } from '../support/objects.js';
import { outcome, startServer, type ServerProcess } from '../support/start-server.js';
import { waitUntil } from '../support/wait-until.js';
import { expectKept, insert, newLedger, type Ledger } from './ledger.js';

const diskBytes = 160 * 2 ** 20;
const canMount = process.platform === 'linux' && process.getuid?.() === 0;
const small = { events: 20, bytes: 600 };
const refusal = 'the storage is full or cannot be written, nothing was stored';

function run(command: string, ...parameters: string[]): string {
  const { status, stdout, stderr } = spawnSync(command, parameters, { encoding: 'utf8' });
  expect(status, `${command} ${parameters.join(' ')}: ${stderr}`).to.equal(0);
  return stdout.trim();
}

/** Sets or clears the attribute of all files; sockets have none. */
function setImmutable(directory: string, change: '+i' | '-i'): void {
  run('find', directory, '!', '-type', 's', '-exec', 'chattr', change, '{}', '+');
}

/** Inserts some, turns the directory read-only, and sees that reads go on and writes say why they cannot. */
async function refuseWrites(
  server: ServerProcess,
  where: string,
  ledger: Ledger,
  turn: () => void,
): Promise<void> {
  for (let times = 0; times < 8; times++)
    expect(await insert(server, where, ledger, small)).to.equal(200);
  turn();
  for (let times = 0; times < 5; times++)
    expect(await insert(server, where, ledger, small)).to.equal(503);
  expect(
    await outcome(server.request('POST', '/v1/project', { name: 'not stored' })),
  ).to.deep.equal([503, refusal]);
  const said = { key: 'a', filename: 'a', content_type: 'a/b' };
  expect(await outcome(server.request('POST', '/attachment', said))).to.deep.equal([503, refusal]);
  await expectKept(server, where, ledger);
  const id = where.split('/').at(-1)!;
  const query = `measures: count(*) as count | from: project_logs('${id}')`;
  const answer = await server.request('POST', '/query', { query });
  expect(answer.json()['data']).to.deep.equal([{ count: ledger.answered.length }]);
  await server.get('/health');
  expect(server.log()).to.match(/"level":50.*the storage is full or cannot be written/);
}

(canMount ? describe : describe.skip)(
  `a data directory that turns read-only${canMount ? '' : ' (left out: only root may mount one)'}`,
  () => {
    let base: string;
    let disk: string;
    let image: string;
    let directory: string;

    beforeEach(async () => {
      base = await mkdtemp(path.join(tmpdir(), 'evalstore-read-only-'));
      [disk, image] = [path.join(base, 'disk'), path.join(base, 'image')];
      directory = path.join(disk, 'data');
      await writeFile(image, '');
      await truncate(image, diskBytes);
      run('mkfs.ext4', '-q', '-F', image);
      await mkdir(disk);
      run('mount', '-o', 'loop,errors=remount-ro', image, disk);
      await mkdir(directory);
    });
    afterEach(async () => {
      spawnSync('chattr', ['-R', '-i', directory]);
      spawnSync('umount', [disk]);
      await rm(base, { recursive: true, force: true });
    });

    async function keptByAnother(where: string, ledger: Ledger): Promise<void> {
      const again = await startServer({ dir: directory });
      await expectKept(again, where, ledger);
      await again.stop();
      expect(await checkStore(directory)).to.deep.equal([]);
    }

    for (const [moment, flushRows] of [
      ['while rows are buffered', '1000000'],
      ['while segments are written', '100'],
    ] as const)
      it(`${moment}: writes answer 503, reads go on, and once it can be written again, writes do, too`, async () => {
        const server = await startServer({
          dir: directory,
          environment: { EVALSTORE_FLUSH_ROWS: flushRows },
        });
        try {
          const where = `/v1/project_logs/${(await createProject(server)).id}`;
          const ledger = newLedger();
          await refuseWrites(server, where, ledger, () => setImmutable(directory, '+i'));
          setImmutable(directory, '-i');
          const isBack = async () => (await insert(server, where, ledger, small)) === 200;
          await waitUntil('inserts work', isBack);
          await createProject(server);
          for (let times = 0; times < 10; times++)
            expect(await insert(server, where, ledger, small)).to.equal(200);
          await expectKept(server, where, ledger);
          await server.kill();
          await keptByAnother(where, ledger);
        } finally {
          await server.kill();
        }
      });

    it('for good, when the file system fails: writes answer 503, reads go on, and a restart elsewhere has all rows', async () => {
      const server = await startServer({ dir: directory });
      try {
        const where = `/v1/project_logs/${(await createProject(server)).id}`;
        const ledger = newLedger();
        const device = path.basename(run('findmnt', '-n', '-o', 'SOURCE', disk));
        const fail = () => run('sh', '-c', `echo failed > /sys/fs/ext4/${device}/trigger_fs_error`);
        await refuseWrites(server, where, ledger, fail);
        await server.kill();
        run('umount', disk);
        // 1: errors were corrected.
        expect(spawnSync('fsck.ext4', ['-y', image]).status).to.be.at.most(1);
        run('mount', '-o', 'loop', image, disk);
        await keptByAnother(where, ledger);
      } finally {
        await server.kill();
      }
    });
  },
);
