// `evalstore backup` beside a running server under load, and kills of `evalstore backup`, `evalstore restore` and the server.
import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { evalstore, runBeside, runEvalstore, type BackupDone } from '../support/command-line.js';
import { find, uploaded } from '../support/attachments.js';
import { openServer } from '../support/hosted-server.js';
import { createProject } from '../support/objects.js';
import { newSeed } from '../support/seed.js';
import { startServer } from '../support/start-server.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { waitUntil } from '../support/wait-until.js';

async function killed(words: readonly string[], ms: number): Promise<void> {
  const child = spawn(process.execPath, [evalstore, ...words], { stdio: 'ignore' });
  const timer = setTimeout(() => child.kill('SIGKILL'), ms);
  await once(child, 'close');
  clearTimeout(timer);
}

const allRows = (id: string) =>
  `from: project_logs('${id}') | select: id, input, output, _xact_id | sort: id | limit: 100000`;

describe('evalstore backup under load and kills', () => {
  const directory = temporaryDirectory();
  const at = (name: string) => path.join(directory(), name);
  const backup = async (...words: readonly string[]) =>
    JSON.parse(
      await runBeside(['backup', at('backup'), '--data-dir', at('data'), '--json', ...words]),
    ) as BackupDone;
  const restored = (name: string, ...words: readonly string[]) =>
    runEvalstore(['restore', at('backup'), at(name), ...words]);

  it('under write load equals the transaction that it names, and copies only new files', async () => {
    const server = await openServer({ dir: at('data') });
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
    const [first] = await Promise.all([backup(), server.settle()]);
    const second = await backup();
    writing.abort();
    await Promise.all(writers);
    expect(second.copied_files).to.be.below(second.files);
    expect(BigInt(second.transaction) > BigInt(first.transaction)).to.equal(true);
    for (const { transaction } of [first, second]) {
      const { status, stdout } = restored(`restored-${transaction}`, '--at', transaction);
      expect(status, stdout).to.equal(0);
      const copy = await openServer({ dir: at(`restored-${transaction}`) });
      const rows = await copy.query(allRows(id));
      expect(rows).to.have.length.above(100);
      expect(rows).to.deep.equal(await server.query(allRows(id), { version: transaction }));
      expect((await find(copy, key)).status).to.deep.equal({ upload_status: 'done' });
      await copy.stop();
    }
    expect(readdirSync(at('data/tmp')).filter((name) => name.startsWith('backup'))).to.deep.equal(
      [],
    );
    const kept = await backup('--keep', '1');
    expect(kept.removed_backups).to.equal(2);
    expect(readdirSync(at('backup/backups'))).to.have.length(1);
    await server.stop();
    expect(restored('last').status).to.equal(0);
  });

  it('a killed backup or restore loses nothing, and the next one works', async () => {
    const seed = newSeed();
    const server = await openServer({ dir: at('data') });
    const { id } = await createProject(server);
    const log = `project_logs/${id}`;
    let random = seed;
    const delay = () => {
      random = (random * 1103515245 + 12345) % 2 ** 31;
      return 150 + (random % 500);
    };
    for (let round = 0; round < 6; round += 1) {
      const events = Array.from({ length: 200 }, (_, i) => ({
        id: `${round}-${i}`,
        input: 'x'.repeat(5000),
      }));
      await server.insert(log, events);
      if (round % 2 === 0) await server.settle();
      await killed(['backup', at('backup'), '--data-dir', at('data')], delay());
      const { transaction } = await backup('--keep', '1');
      const words = ['restore', at('backup'), at('copy')];
      await killed(words, delay());
      if (!existsSync(at('copy/meta.duckdb'))) restored('copy');
      expect(runEvalstore(['check', at('copy')]).status, `seed ${seed}`).to.equal(0);
      const copy = await openServer({ dir: at('copy') });
      const rows = await copy.query(allRows(id));
      expect(rows, `seed ${seed}`).to.have.length((round + 1) * 200);
      expect(rows).to.deep.equal(await server.query(allRows(id), { version: transaction }));
      await copy.stop();
      rmSync(at('copy'), { recursive: true });
    }
    const left = () => readdirSync(at('data/tmp')).filter((name) => name.startsWith('backup'));
    await waitUntil('copies are removed', () => left().length === 0);
    await server.stop();
    expect(runEvalstore(['check', at('data')]).status).to.equal(0);
  });

  it('a server that is killed during a backup loses nothing, and its next start removes the copy', async () => {
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
    await backup();
    expect(restored('after').status).to.equal(0);
    await second.stop();
  });
});
