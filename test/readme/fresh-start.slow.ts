// The README's first command on a copy of the checkout with nothing installed.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { temporaryDirectory } from '../support/temporary-directory.js';

const run = promisify(execFile);

async function copyCheckout(target: string): Promise<void> {
  const { stdout } = await run('git', ['ls-files', '-z'], { maxBuffer: 2 ** 26 });
  for (const path of stdout.split('\0').filter((name) => name !== '')) {
    await mkdir(join(target, dirname(path)), { recursive: true });
    await copyFile(path, join(target, path));
  }
}

describe('a fresh copy', () => {
  const directory = temporaryDirectory();

  it('npm ci && npm start serves', async () => {
    await copyCheckout(directory());
    const child = spawn('bash', ['-c', 'npm ci && exec npm start'], {
      cwd: directory(),
      env: { ...process.env, EVALSTORE_PORT: '0' },
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
    const health = await fetch(`${started.exec(output)?.[1]}/health`);
    expect(health.status).to.equal(200);
    expect(output).to.match(/^building: the parser, [^]*^building: done in \d+ s$/m);
    expect(output).to.match(/^API key, shown only this once: \S+$/m);
    const closed = once(child, 'close');
    process.kill(-(child.pid ?? 0), 'SIGTERM');
    await closed;
  });
});
