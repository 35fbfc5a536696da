// The manual's way from an empty folder to a restored backup, with the package that would be published.
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { readSolutions, solutionsName } from '../browser/gsm8k.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const run = promisify(execFile);

const step = /```sh story\n([\s\S]*?)```(?:\n\n```output\n([\s\S]*?)```)?/g;
const separator = '@@ next @@';

describe('the manual on a whole way', () => {
  const directory = temporaryDirectory();

  it('shows what happens', async () => {
    const steps = [...readFileSync('src/manual/story.md', 'utf8').matchAll(step)];
    writeFileSync(path.join(directory(), solutionsName), await readSolutions());
    const { stdout: packed } = await run('npm', ['pack', '--pack-destination', directory()]);
    const archive = path.join(directory(), packed.trim().split('\n').at(-1)!);
    const script = steps
      .map(([, commands = '']) => `${commands}echo '${separator}'\n`)
      .join('')
      .replace('install --silent evalstore', `install --silent '${archive}'`);
    const { stdout } = await run('bash', ['--norc', '-euc', script], {
      cwd: directory(),
      env: { ...process.env, EVALSTORE_PORT: '0' },
    });
    const outputs = stdout.split(`${separator}\n`).slice(0, -1);
    expect(outputs).to.deep.equal(steps.map(([, , output = '']) => output));
  });
});
