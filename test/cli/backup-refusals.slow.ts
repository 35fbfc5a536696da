// `evalstore backup` of a stopped and of a running server, and what it and `evalstore restore` refuse.
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { runBeside, runEvalstore, type BackupDone } from '../support/command-line.js';
import { openServer } from '../support/hosted-server.js';
import { createProject } from '../support/objects.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

describe('evalstore backup and restore', () => {
  const directory = temporaryDirectory();
  const at = (name: string) => path.join(directory(), name);
  const backup = async (...words: readonly string[]) =>
    JSON.parse(
      await runBeside(['backup', at('backup'), '--data-dir', at('data'), '--json', ...words]),
    ) as BackupDone;
  const restored = (name: string, ...words: readonly string[]) =>
    runEvalstore(['restore', at('backup'), at(name), ...words]);

  it('of a stopped server, finds damage and refuses what it cannot do in a sentence', async () => {
    const server = await openServer({ dir: at('data') });
    const { id } = await createProject(server);
    await server.insert(`project_logs/${id}`, [{ id: 'a', input: 'in a segment' }]);
    await server.settle();
    await server.insert(`project_logs/${id}`, [{ id: 'b', input: 'in the log' }]);
    await server.stop();
    await backup();
    writeFileSync(at('backup/files/x.tmp'), 'what a killed backup left');
    const again = await backup();
    expect(again.copied_files).to.equal(0);
    expect(existsSync(at('backup/files/x.tmp'))).to.equal(false);
    const refused = (ended: ReturnType<typeof restored>, status: number, sentence: RegExp) => {
      expect([ended.status, ended.stdout]).to.deep.equal([status, '']);
      expect(ended.stderr).to.match(sentence);
    };
    refused(restored('x', '--at', '5'), 1, /there is no backup of transaction 5\n$/);
    refused(runEvalstore(['restore', at('none'), at('x')]), 1, /there is no backup\n$/);
    refused(runEvalstore(['restore', at('backup')]), 2, /expected the directory to fill\n$/);
    refused(
      runEvalstore(['backup', at('b'), '--data-dir', at('none')]),
      1,
      /no server has used this data directory yet\n$/,
    );
    refused(
      runEvalstore(['backup', at('b'), '--data-dir', at('data'), '--keep', '0']),
      2,
      /--keep: expected a number from 1, got "0"\n$/,
    );
    refused(
      runEvalstore(['backup', 'ftp://b', '--data-dir', at('data')]),
      2,
      /expected a directory or s3:\/\/bucket\/prefix, got "ftp:\/\/b"\n$/,
    );
    const list = runEvalstore(['restore', at('backup'), '--list', '--json']).stdout;
    const backups = JSON.parse(list) as { transaction: string }[];
    expect(backups.map(({ transaction }) => transaction)).to.deep.equal([
      again.transaction,
      again.transaction,
    ]);
    const files = readdirSync(at('backup/files'), { recursive: true, encoding: 'utf8' });
    const segment = at(
      path.join(
        'backup/files',
        files.find((name) => name.includes('.parquet'))!,
      ),
    );
    const content = readFileSync(segment);
    content[9]! ^= 1;
    writeFileSync(segment, content);
    refused(restored('half'), 1, /\.parquet is damaged, its checksum is wrong\n$/);
    expect(existsSync(at('half/meta.duckdb'))).to.equal(false);
    refused(
      runEvalstore(['start'], { EVALSTORE_DATA_DIR: at('half'), EVALSTORE_PORT: '0' }),
      1,
      /meta\.duckdb is missing, but/,
    );
    content[9]! ^= 1;
    writeFileSync(segment, content);
    expect(restored('half').status, 'run again').to.equal(0);
    const [description = ''] = readdirSync(at('backup/backups'));
    const file = at(`backup/backups/${description}`);
    writeFileSync(file, readFileSync(file, 'utf8').replace('"format":1', '"format":2'));
    refused(restored('x'), 1, /has format 2, this release reads formats up to 1\n$/);
    writeFileSync(file, '{');
    refused(restored('x'), 1, /\.json is damaged\n$/);
  });

  it('beside a running server, whose directory stays locked and private', async () => {
    const server = await openServer({ dir: at('data') });
    const { id } = await createProject(server);
    const log = `project_logs/${id}`;
    await server.insert(log, [{ id: 'a', input: 'in a segment' }]);
    await server.settle();
    await server.insert(log, [{ id: 'b', input: 'in the log' }]);
    expect(statSync(at('data/backup.sock')).mode & 0o777).to.equal(0o600);
    const [first, second] = [await backup(), await backup()];
    expect(second.transaction).to.equal(first.transaction);
    expect(runEvalstore(['check', at('data')]).stderr).to.match(/: stop it first\n$/);
    await server.insert(log, [{ id: 'c', input: 'after the backups' }]);
    await server.stop();
    expect(restored('new', '--at', second.transaction).stdout).to.match(/: no problems\n$/);
    const copy = await openServer({ dir: at('new') });
    expect((await copy.events(log)).map((event) => event['id'])).to.deep.equal(['b', 'a']);
    await copy.stop();
  });

  it('needs no server if the path is too long for a socket, and refuses beside one', async () => {
    const data = at(`${'d'.repeat(100)}/data`);
    const words = ['backup', at('backup'), '--data-dir', data];
    const server = await openServer({ dir: data });
    expect(server.log()).to.match(/the path of the data directory is too long for a socket/);
    expect(runEvalstore(words).stderr).to.match(/: stop it first\n$/);
    await server.stop();
    expect(runEvalstore(words).status).to.equal(0);
  });
});
