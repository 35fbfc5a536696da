// What the programs of the command line say of themselves and of wrong arguments, settings and directories.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { openStore } from './support/open-store.js';
import { temporaryDirectory } from './support/temporary-directory.js';

const programs = {
  start: '../server/evalstore.cjs',
  keys: '../src/keys.js',
  'check-data': '../src/check-data.js',
  'rebuild-manifest': '../src/rebuild-manifest.js',
};

type Name = keyof typeof programs;

const names = Object.keys(programs) as readonly Name[];

describe('the programs of the command line', () => {
  const directory = temporaryDirectory();

  const run = (name: Name, words: readonly string[], variables: Record<string, string> = {}) => {
    const entry = fileURLToPath(new URL(programs[name], import.meta.url));
    const env = { ...process.env, EVALSTORE_DATA_DIR: directory(), ...variables };
    const { status, stdout, stderr } = spawnSync(process.execPath, [entry, ...words], {
      encoding: 'utf8',
      env,
    });
    return { status, stdout, stderr };
  };

  for (const name of names)
    it(`${name} explains itself, and touches nothing`, () => {
      const { status, stdout, stderr } = run(name, ['--help'], { EVALSTORE_PORT: 'wrong' });
      expect([status, stderr]).to.deep.equal([0, '']);
      expect(stdout).to.match(new RegExp(`^usage: npm (run )?${name}\\b`));
      expect(stdout).to.include('EVALSTORE_DATA_DIR');
    });

  for (const version of ['18.20.8', '20.18.3'])
    it(`start refuses Node.js ${version} in one sentence`, () => {
      const entry = fileURLToPath(new URL(programs.start, import.meta.url));
      const versions = JSON.stringify({ ...process.versions, node: version });
      const program = `Object.defineProperty(process, 'versions', { value: ${versions} });
        require(${JSON.stringify(entry)});`;
      const ended = spawnSync(process.execPath, ['-e', program], { encoding: 'utf8' });
      expect([ended.status, ended.stdout, ended.stderr]).to.deep.equal([
        1,
        '',
        `Evalstore needs Node.js 20.19 or newer, and this is ${version}\n`,
      ]);
    });

  it('start refuses a Node.js that uses libnode in one sentence', () => {
    const entry = fileURLToPath(new URL(programs.start, import.meta.url));
    const program = `Object.defineProperty(process, 'config', { value: { variables: { node_shared: true } } });
      require(${JSON.stringify(entry)});`;
    const ended = spawnSync(process.execPath, ['-e', program], { encoding: 'utf8' });
    expect([ended.status, ended.stdout, ended.stderr]).to.deep.equal([
      1,
      '',
      'Evalstore does not run with a Node.js that uses libnode, such as the package nodejs of Debian, where a failed thread can end the process: use a build of nodejs.org\n',
    ]);
  });

  for (const name of ['start', 'check-data', 'rebuild-manifest'] as const)
    it(`${name} refuses arguments, which would be ignored`, () => {
      const { status, stdout, stderr } = run(name, ['/backup/data']);
      expect([status, stdout]).to.deep.equal([name === 'check-data' ? 2 : 1, '']);
      expect(stderr).to.include(
        'unexpected argument "/backup/data": settings are environment variables, such as EVALSTORE_DATA_DIR\n',
      );
    });

  for (const name of ['check-data', 'rebuild-manifest', 'keys'] as const) {
    const words = name === 'keys' ? ['list'] : [];
    const failed = name === 'check-data' ? 2 : 1;

    it(`${name} refuses a wrong setting, in one sentence`, () => {
      expect(run(name, words, { EVALSTORE_PORT: 'eighty' })).to.deep.equal({
        status: failed,
        stdout: '',
        stderr: 'EVALSTORE_PORT: expected an integer from 0 to 65535, got "eighty"\n',
      });
    });

    it(`${name} creates nothing where no server was`, () => {
      const dir = path.join(directory(), 'none');
      expect(run(name, words, { EVALSTORE_DATA_DIR: dir })).to.deep.equal({
        status: failed,
        stdout: '',
        stderr: `${dir}: no server has used this data directory yet\n`,
      });
      expect(existsSync(dir)).to.equal(false);
    });

    it(`${name} refuses a directory in use, in one sentence`, async () => {
      const opened = await openStore(directory(), {});
      expect(run(name, words)).to.deep.equal({
        status: failed,
        stdout: '',
        stderr: `another process is using the data directory ${directory()}: stop it first\n`,
      });
      await opened.close();
    });
  }
});
