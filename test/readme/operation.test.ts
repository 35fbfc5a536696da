// The manual's commands for backups and their restore.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { evalstore } from '../support/command-line.js';
import { openServer } from '../support/hosted-server.js';
import { bucketService } from '../support/bucket-service.js';
import { find, uploaded } from '../support/attachments.js';
import { createProject } from '../support/objects.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const run = promisify(execFile);

const commands = new Map(
  [
    ...readFileSync('src/manual/backup.md', 'utf8').matchAll(
      /```sh operation (\w+)\n([\s\S]*?)```/g,
    ),
  ].map(([, name = '', text = '']) => [name, text]),
);

describe('the manual on backups', () => {
  const directory = temporaryDirectory();
  const bucket = bucketService();

  async function perform(name: string): Promise<string> {
    const command = commands.get(name) ?? '';
    const script = command.replaceAll('npx evalstore', `"${process.execPath}" "${evalstore}"`);
    const env = { PATH: process.env['PATH'], ...bucket().environment };
    const { stdout } = await run('bash', ['--norc', '-euc', script], { cwd: directory(), env });
    return stdout;
  }

  it('a backup that is restored has the events of its time', async () => {
    const dir = path.join(directory(), 'data');
    let server = await openServer({ dir });
    const { id } = await createProject(server);
    const insert = (event: object) => server.insert(`project_logs/${id}`, [event]);
    await insert({ id: 'a', input: 'in a segment' });
    await server.settle();
    await insert({ id: 'b', input: 'in the log' });
    const key = await uploaded(server, 'the content');
    await perform('backup');
    expect(await perform('bucket')).to.match(
      /^backed up .*\nrestored transaction .*\nrestored: no problems\n$/,
    );
    await insert({ id: 'c', input: 'after the backup' });
    await server.stop();
    expect(await perform('restore')).to.match(/^restored transaction .*\ndata: no problems\n$/);
    server = await openServer({ dir });
    const events = await server.events(`project_logs/${id}`);
    expect(events.map((event) => event['id'])).to.deep.equal(['b', 'a']);
    expect((await find(server, key)).status).to.deep.equal({ upload_status: 'done' });
    await server.stop();
  });
});
