// The installations that README and the manual name: each in an empty folder, with the npm and the Node.js of this process.
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { manualPages } from '../readme/readme.js';
import { runCommand } from './run-program.js';

const pages = [readFileSync('README.md', 'utf8'), ...manualPages.values()];

/** The packages with their versions, by installation. Our own package is that of `readme/package.slow`. */
const installations = new Set(
  Array.from(
    pages.join('\n').matchAll(/npm install ((?!-)[^`\n]+)/g),
    ([, packages = '']) => packages,
  ).filter((packages) => packages !== 'evalstore'),
);

const nameOf = (versioned: string): string => versioned.replace(/(?<=.)@.*$/, '');

describe('installations of the pages', () => {
  let directory: string;

  beforeEach(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'evalstore-'));
    await writeFile(path.join(directory, 'package.json'), '{"type": "module"}');
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  const run = async (...command: readonly [string, ...string[]]) => {
    const { code, out, errors } = await runCommand(process.env, command, directory);
    expect(code, out + errors).to.equal(0);
  };

  it('are found', () => {
    expect([...installations])
      .to.include('braintrust')
      .and.to.have.length.above(2);
  });

  for (const packages of installations)
    it(`npm install ${packages}`, async () => {
      const versioned = packages.split(' ');
      await run('npm', 'install', '--no-audit', '--no-fund', '--engine-strict', ...versioned);
      const imports = versioned.map((each) => `await import('${nameOf(each)}');`).join('\n');
      await writeFile(path.join(directory, 'imports.js'), imports);
      await run(process.execPath, 'imports.js');
    });
});
