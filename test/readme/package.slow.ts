// The package as a user gets it: packed, installed into an empty folder, and started there.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { temporaryDirectory } from '../support/temporary-directory.js';

const run = promisify(execFile);

describe('the package', () => {
  const directory = temporaryDirectory();

  it('is installed without build tools, with the engine alone, and serves', async () => {
    const { stdout: packed } = await run('npm', ['pack', '--pack-destination', directory()]);
    const archive = path.join(directory(), packed.trim().split('\n').at(-1)!);
    const at = { cwd: directory() };
    await run('npm', ['init', '--yes'], at);
    await run('npm', ['install', archive], at);
    const packages = await readdir(path.join(directory(), 'node_modules'));
    expect(packages.filter((name) => !name.startsWith('.'))).to.deep.equal([
      '@duckdb',
      'detect-libc',
      'evalstore',
    ]);
    const installed = path.join(directory(), 'node_modules/evalstore');
    expect((await readdir(installed)).toSorted()).to.deep.equal([
      'LICENSE',
      'README.md',
      'package.json',
      'release',
    ]);

    const child = spawn('npx', ['evalstore', '--port', '0'], {
      ...at,
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true,
    });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const started = /^evalstore listening on (http:\S+)$/m;
    while (!started.test(output)) {
      expect(child.exitCode, output).to.equal(null);
      await once(child.stdout, 'data');
    }
    const url = started.exec(output)![1]!;
    for (const page of ['/health', '/app', '/docs', '/docs/swagger-ui.css', '/docs/index'])
      expect((await fetch(url + page)).status, page).to.equal(200);
    const key = /^API key, shown only this once: (\S+)$/m.exec(output)![1]!;
    const env = { ...process.env, EVALSTORE_URL: url, EVALSTORE_KEY: key };
    const { stdout } = await run('npx', ['evalstore', 'demo'], { ...at, env });
    expect(stdout).to.match(/^large {2}verified {2}100 /m);
    const closed = once(child, 'close');
    process.kill(-child.pid!, 'SIGTERM');
    await closed;
    const checked = await run('npx', ['evalstore', 'check'], at);
    expect(checked.stdout).to.equal('./data: no problems\n');
  });
});
