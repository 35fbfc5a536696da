// What the commands say of themselves and of wrong words, settings and directories.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { flagOf, settings } from '../../src/settings.js';
import { evalstore, runEvalstore, runHere } from '../support/command-line.js';
import { openStore } from '../support/open-store.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const commands = [
  'start',
  'keys',
  'stats',
  'query',
  'export',
  'import',
  'demo',
  'backup',
  'restore',
  'check',
  'repair',
];

const refused = (status: number, sentence: string) => ({
  status,
  stdout: '',
  stderr: `${sentence}\n`,
});

describe('the command evalstore', () => {
  const directory = temporaryDirectory();

  const run = (words: readonly string[], variables: Record<string, string> = {}) =>
    runEvalstore(words, { EVALSTORE_DATA_DIR: directory(), ...variables });

  it('lists its commands', () => {
    const { status, stdout, stderr } = run(['--help']);
    expect([status, stderr]).to.deep.equal([0, '']);
    for (const command of commands) expect(stdout).to.match(new RegExp(`^  ${command}\\b`, 'm'));
  });

  it('prints its version', () => {
    expect(run(['--version'])).to.include({ status: 0, stderr: '' });
    expect(run(['--version']).stdout).to.match(/^\d+\.\d+\.\d+\n$/);
  });

  for (const command of commands)
    it(`${command} explains itself, and touches nothing`, async () => {
      const variables = { EVALSTORE_PORT: 'wrong', EVALSTORE_DATA_DIR: directory() };
      const { status, stdout, stderr } = await runHere([command, '--help'], variables);
      expect([status, stderr]).to.deep.equal([0, '']);
      expect(stdout).to.match(new RegExp(`^Usage: evalstore ${command}\\b`));
      expect(stdout).to.not.match(/undefined/);
    });

  it('start has an option for each setting of the server that is no secret', async () => {
    const { stdout } = await runHere(['start', '--help']);
    for (const setting of Object.values(settings)) {
      const isOption = !('isSecret' in setting);
      expect(stdout.includes(`${flagOf(setting)} <`), setting.name).to.equal(isOption);
    }
  });

  for (const version of ['18.20.8', '20.18.3'])
    it(`refuses Node.js ${version} in one sentence`, () => {
      const versions = JSON.stringify({ ...process.versions, node: version });
      const program = `Object.defineProperty(process, 'versions', { value: ${versions} });
        require(${JSON.stringify(evalstore)});`;
      const ended = spawnSync(process.execPath, ['-e', program], { encoding: 'utf8' });
      expect([ended.status, ended.stdout, ended.stderr]).to.deep.equal([
        1,
        '',
        `Evalstore needs Node.js 20.19 or newer, and this is ${version}\n`,
      ]);
    });

  it('refuses a Node.js that uses libnode in one sentence', () => {
    const program = `Object.defineProperty(process, 'config', { value: { variables: { node_shared: true } } });
      require(${JSON.stringify(evalstore)});`;
    const ended = spawnSync(process.execPath, ['-e', program], { encoding: 'utf8' });
    expect([ended.status, ended.stdout, ended.stderr]).to.deep.equal([
      1,
      '',
      'Evalstore does not run with a Node.js that uses libnode, such as the package nodejs of Debian, where a failed thread can end the process: use a build of nodejs.org\n',
    ]);
  });

  const wrong: readonly (readonly [words: readonly string[], sentence: string])[] = [
    [['strat'], "error: unknown command 'strat'\n(Did you mean start?)\nAdd --help for more."],
    [
      ['--prot', '80'],
      "error: unknown option '--prot'\n(Did you mean --port?)\nAdd --help for more.",
    ],
    [['--port'], "error: option '--port <value>' argument missing\nAdd --help for more."],
    [
      ['start', '/data'],
      "error: too many arguments for 'start'. Expected 0 arguments but got 1.\nAdd --help for more.",
    ],
    [
      ['check', 'a', 'b'],
      "error: too many arguments for 'check'. Expected 1 argument but got 2.\nAdd --help for more.",
    ],
    [['query'], "error: missing required argument 'text'\nAdd --help for more."],
    [
      ['query', 'x', '--format', 'xml'],
      "error: option '--format <format>' argument 'xml' is invalid. Allowed choices are table, json, jsonl, csv, parquet.\nAdd --help for more.",
    ],
    [['stats'], 'set EVALSTORE_KEY to the key that the server printed at its first start'],
    [['--port', 'eighty'], '--port: expected an integer from 0 to 65535, got "eighty"'],
  ];
  for (const [words, sentence] of wrong)
    it(`refuses ${words.join(' ')}`, () => {
      expect(run(words)).to.deep.equal(refused(2, sentence));
    });

  const onDirectory = [['check'], ['repair'], ['keys', 'list']];
  for (const words of [[], ...onDirectory])
    it(`${words[0] ?? 'start'} refuses a wrong setting, in one sentence`, () => {
      expect(run(words, { EVALSTORE_PORT: 'eighty' })).to.deep.equal(
        refused(2, 'EVALSTORE_PORT: expected an integer from 0 to 65535, got "eighty"'),
      );
    });

  for (const words of onDirectory) {
    const [name = ''] = words;

    it(`${name} creates nothing where no server was`, () => {
      const dir = path.join(directory(), 'none');
      const named = name === 'keys' ? [...words, '--data-dir', dir] : [...words, dir];
      expect(run(named)).to.deep.equal(
        refused(1, `${dir}: no server has used this data directory yet`),
      );
      expect(existsSync(dir)).to.equal(false);
    });

    it(`${name} refuses a directory in use, in one sentence`, async () => {
      const opened = await openStore(directory(), {});
      expect(run(words)).to.deep.equal(
        refused(1, `another process is using the data directory ${directory()}: stop it first`),
      );
      await opened.close();
    });
  }
});
