// `evalstore backup` beside a running server under load and merges, and kills of `evalstore backup`, `evalstore restore` and the server.
import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { backupRemotes } from '../support/backup-remotes.js';
import { endOf, evalstore, runBeside, type BackupDone } from '../support/command-line.js';
import { find, uploaded } from '../support/attachments.js';
import { openServer } from '../support/hosted-server.js';
import { createProject } from '../support/objects.js';
import { newSeed } from '../support/seed.js';
import { startServer } from '../support/start-server.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import type { TestServer } from '../support/test-server.js';
import { waitUntil } from '../support/wait-until.js';

/** Kills the command at a moment; whether it ran until then. */
async function killed(words: readonly string[], isNow: () => boolean): Promise<boolean> {
  const child = spawn(process.execPath, [evalstore, ...words], { stdio: 'ignore' });
  const ended = once(child, 'close');
  while (child.exitCode === null && !isNow()) await pause(3);
  child.kill('SIGKILL');
  const [, signal] = (await ended) as [number | null, NodeJS.Signals | null];
  return signal === 'SIGKILL';
}

const allRows = (id: string) =>
  `from: project_logs('${id}') | select: id, input, output, _xact_id | sort: id | limit: 100000`;

async function mergesOf(server: TestServer): Promise<number> {
  const { text } = await server.request('GET', '/metrics');
  return Number(/^evalstore_maintenance_runs_total{task="merge"} (\d+)$/m.exec(text)![1]);
}

const namesIn = (directory: string): readonly string[] =>
  existsSync(directory) ? readdirSync(directory, { recursive: true, encoding: 'utf8' }) : [];

/** Of each command and each kind of remote. */
const kills = 10;

for (const { kind, prepare } of backupRemotes)
  describe(`evalstore backup to ${kind} under load and kills`, () => {
    const directory = temporaryDirectory();
    const remote = prepare();
    const at = (name: string) => path.join(directory(), name);
    const backupWords = () => ['backup', remote().target, '--data-dir', at('data')];
    const backup = async (...words: readonly string[]) =>
      JSON.parse(await runBeside([...backupWords(), '--json', ...words])) as BackupDone;
    const restoreWords = (name: string) => ['restore', remote().target, at(name)];
    const restored = (name: string, ...words: readonly string[]) =>
      endOf([...restoreWords(name), ...words]);
    const copies = () => namesIn(at('data/tmp')).filter((name) => name.startsWith('backup'));
    const descriptions = () =>
      remote()
        .keys()
        .filter((key) => key.startsWith('backups/'));

    it('under writes and merges equals the transaction that it names, and copies only new files', async () => {
      const server = await openServer({ dir: at('data'), tuning: { compaction: { fanOut: 2 } } });
      const { id } = await createProject(server);
      const log = `project_logs/${id}`;
      const writing = new AbortController();
      let round = 0;
      const write = async () => {
        while (!writing.signal.aborted) {
          round += 1;
          const events = Array.from({ length: 20 }, (_, i) => ({
            id: `${(round * 7 + i) % 300}`,
            input: `round ${round}`,
            ...(i % 3 === 0 ? { _is_merge: true, output: i } : {}),
            ...(i % 10 === 9 ? { _object_delete: true } : {}),
          }));
          await server.insert(log, events);
        }
      };
      const writers = [write(), write(), write()];
      await server.settle();
      const key = await uploaded(server, 'the content');
      const copied = new AbortController();
      const merging = (async () => {
        while (!copied.signal.aborted) await server.settle();
      })();
      let backups = 0;
      const backUpDuringMerge = async (): Promise<BackupDone> => {
        const merges = await mergesOf(server);
        const done = await backup();
        backups += 1;
        return (await mergesOf(server)) > merges ? done : backUpDuringMerge();
      };
      const first = await backUpDuringMerge();
      copied.abort();
      await merging;
      const second = await backup();
      writing.abort();
      await Promise.all(writers);
      expect(second.copied_files).to.be.below(second.files);
      expect(BigInt(second.transaction) > BigInt(first.transaction)).to.equal(true);
      for (const { transaction } of [first, second]) {
        const name = `restored-${transaction}`;
        const { status, stdout } = await restored(name, '--at', transaction);
        expect(status, stdout).to.equal(0);
        const copy = await openServer({ dir: at(name) });
        const rows = await copy.query(allRows(id));
        expect(rows).to.have.length.above(100);
        expect(rows).to.deep.equal(await server.query(allRows(id), { version: transaction }));
        expect((await find(copy, key)).status).to.deep.equal({ upload_status: 'done' });
        await copy.stop();
      }
      expect(copies()).to.deep.equal([]);
      const kept = await backup('--keep', '1');
      expect(kept.removed_backups).to.equal(backups + 1);
      expect(descriptions()).to.have.length(1);
      await server.stop();
      expect((await restored('last')).status).to.equal(0);
    });

    it('a killed backup or restore loses nothing, and the next one works', async () => {
      let random = newSeed();
      const below = (limit: number) => {
        random = (random * 1103515245 + 12345) % 2 ** 31;
        return Math.floor((random / 2 ** 31) * limit);
      };
      const server = await openServer({ dir: at('data') });
      const { id } = await createProject(server);
      let rows = 0;
      const insert = async () => {
        const events = Array.from({ length: 100 }, () => ({
          id: String((rows += 1)),
          input: 'x'.repeat(5000),
        }));
        await server.insert(`project_logs/${id}`, events);
      };
      await insert();
      let { files, copied_files: news } = await backup();
      const done = { backup: 0, restore: 0 };
      for (let round = 0; done.backup < kills || done.restore < kills; round += 1) {
        const seed = `seed ${newSeed()}, round ${round}`;
        expect(round, seed).to.be.below(4 * kills);
        await insert();
        if (round % 2 === 0) await server.settle();
        const there = remote().keys().length;
        const more = below(news + 1);
        const isCopying = () =>
          more === 0 ? copies().length > 0 : remote().keys().length >= there + more;
        if (await killed(backupWords(), isCopying)) done.backup += 1;
        const newest = descriptions().toSorted().at(-1)!;
        const { transaction } = JSON.parse(readFileSync(remote().fileOf(newest), 'utf8')) as {
          transaction: string;
        };
        const some = below(files);
        const isRestoring = () => namesIn(at('copy')).length > some;
        if (await killed(restoreWords('copy'), isRestoring)) done.restore += 1;
        const { status, stdout, stderr } = existsSync(at('copy/meta.duckdb'))
          ? await endOf(['check', at('copy')])
          : await restored('copy');
        expect(status, seed + stdout + stderr).to.equal(0);
        const copy = await openServer({ dir: at('copy') });
        expect(await copy.query(allRows(id)), seed).to.deep.equal(
          await server.query(allRows(id), { version: transaction }),
        );
        await copy.stop();
        rmSync(at('copy'), { recursive: true });
        ({ files, copied_files: news } = await backup('--keep', '1'));
        expect(remote().keys(), seed).to.have.length(files + 1);
      }
      await waitUntil('copies are removed', () => copies().length === 0);
      expect(await server.query(allRows(id))).to.have.length(rows);
      await server.stop();
      expect((await endOf(['check', at('data')])).status).to.equal(0);
      expect((await restored('last')).status).to.equal(0);
      const last = await openServer({ dir: at('last') });
      expect(await last.query(allRows(id))).to.have.length(rows);
      await last.stop();
    });
  });

describe('evalstore backup beside a server that is killed', () => {
  const directory = temporaryDirectory();
  const at = (name: string) => path.join(directory(), name);

  it('loses nothing, and its next start removes the copy', async () => {
    const dir = at('data');
    const first = await startServer({ dir });
    const { id } = await createProject(first);
    const content = 'x'.repeat(20_000);
    await first.insert(
      `project_logs/${id}`,
      Array.from({ length: 300 }, (_, i) => ({ id: `${i}`, input: content })),
    );
    const child = spawn(process.execPath, [evalstore, 'backup', at('backup'), '--data-dir', dir], {
      stdio: 'ignore',
    });
    const copies = () => readdirSync(at('data/tmp')).filter((name) => name.startsWith('backup'));
    await waitUntil('a copy', () => copies().length > 0 || child.exitCode !== null);
    await first.kill();
    await once(child, 'close').catch(() => {});
    const second = await startServer({ dir });
    expect(copies()).to.deep.equal([]);
    expect(await second.query(allRows(id))).to.have.length(300);
    await runBeside(['backup', at('backup'), '--data-dir', dir]);
    expect((await endOf(['restore', at('backup'), at('after')])).status).to.equal(0);
    await second.stop();
  });
});
