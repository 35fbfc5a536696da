// The package as a user gets it: packed, installed into an empty folder, and run there by each supported line of Node.js.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';

const run = promisify(execFile);

/** Versions of Node.js, as npm names them: the oldest that is supported, and the lines with long-term support. */
const nodeVersions = ['~20.19.0', '22', '24'];

/** Installs a Node.js of npm, and returns the directory of its program. */
async function installNode(version: string, prefix: string): Promise<string> {
  const name = `node-${process.platform}-${process.arch}`;
  await run('npm', ['install', '--prefix', prefix, `${name}@${version}`]);
  return path.join(prefix, 'node_modules', name, 'bin');
}

describe('the package', () => {
  let directory: string;
  const at = () => ({ cwd: directory });
  const installed = () => path.join(directory, 'node_modules/evalstore');

  before(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'evalstore-'));
  });
  after(() => rm(directory, { recursive: true, force: true }));

  it('is installed without build tools, with the engine alone', async () => {
    const { stdout: packed } = await run('npm', ['pack', '--pack-destination', directory]);
    const archive = path.join(directory, packed.trim().split('\n').at(-1)!);
    await run('npm', ['init', '--yes'], at());
    await run('npm', ['install', archive], at());
    const packages = await readdir(path.join(directory, 'node_modules'));
    expect(packages.filter((name) => !name.startsWith('.'))).to.deep.equal([
      '@duckdb',
      'detect-libc',
      'evalstore',
    ]);
    expect((await readdir(installed())).toSorted()).to.deep.equal([
      'LICENSE',
      'README.md',
      'package.json',
      'release',
    ]);
  });

  it('has the unit of systemd', async () => {
    const unit = await readFile(path.join(installed(), 'release/evalstore.service'), 'utf8');
    expect(unit).to.equal(await readFile('src/manual/deploy/evalstore.service', 'utf8'));
  });

  it('has the licences of the packages that are bundled into it', async () => {
    const licences = await readFile(
      path.join(installed(), 'release/third-party-licences.txt'),
      'utf8',
    );
    for (const name of ['koa', 'react', 'antlr4ng', 'commander', '@aws-sdk/client-s3'])
      expect(licences).to.match(new RegExp(`^${name} \\d.*\\n[^]*?Copyright`, 'm'));
  });

  for (const version of nodeVersions)
    it(`serves with Node.js ${version}`, async () => {
      const prefix = path.join(directory, `node-${version}`);
      const bin = await installNode(version, prefix);
      const environment = { ...process.env, PATH: `${bin}:${process.env['PATH']}` };
      const dataDir = path.join(prefix, 'data');
      const child = spawn('npx', ['evalstore', '--port', '0', '--data-dir', dataDir], {
        ...at(),
        env: environment,
        stdio: ['ignore', 'pipe', 'ignore'],
        detached: true,
      });
      let output = '';
      child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
      const started = /^evalstore listening on (http:\S+)$/m;
      while (!started.test(output)) {
        expect(child.exitCode, output).to.equal(null);
        await Promise.race([once(child.stdout, 'data'), once(child, 'close')]);
      }
      const url = started.exec(output)![1]!;
      for (const page of ['/health', '/app', '/docs', '/docs/swagger-ui.css', '/docs/index'])
        expect((await fetch(url + page)).status, page).to.equal(200);
      const key = /^API key, shown only this once: (\S+)$/m.exec(output)![1]!;
      const env = { ...environment, EVALSTORE_URL: url, EVALSTORE_KEY: key };
      const { stdout } = await run('npx', ['evalstore', 'demo'], { ...at(), env });
      expect(stdout).to.match(/^large {2}verified {2}100 /m);
      const closed = once(child, 'close');
      process.kill(-child.pid!, 'SIGTERM');
      await closed;
      const checked = await run('npx', ['evalstore', 'check', dataDir], { ...at(), env });
      expect(checked.stdout).to.equal(`${dataDir}: no problems\n`);
    });
});
