// What is said when Python, or what the programs need of it, is missing.
import { chmod, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { root, runCommand } from '../run-program.js';
import { pythonEnvironment } from './run-python.js';

const folder = path.join(root, 'test/clients/python');

describe('environments of Python', () => {
  const directory = temporaryDirectory();

  it('name what to run when one is missing', () => {
    expect(() => pythonEnvironment('missing' as 'frames')).to.throw(
      'the Python environment missing is missing: run "sh test/clients/python/install.sh", which needs python3 and python3-venv',
    );
  });

  it('name what is missing when they cannot be created', async () => {
    const python = path.join(directory(), 'python3');
    await writeFile(python, '#!/bin/sh\nexit 1\n');
    await chmod(python, 0o755);
    const env = { PATH: `${directory()}:${process.env['PATH']}` };
    const { code, errors } = await runCommand(env, ['sh', path.join(folder, 'install.sh')]);
    expect({ code, errors }).to.deep.equal({
      code: 1,
      errors:
        'Python 3.11 or newer with venv is missing: apt-get install -y python3 python3-venv\n',
    });
  });

  it('and the generator of Go name Go when it is missing', async () => {
    const env = { PATH: '/nowhere' };
    const script = path.join(root, 'test/clients/go/install.sh');
    const { code, errors } = await runCommand(env, ['/bin/sh', script]);
    expect({ code, errors: errors.split('\n').at(-2) }).to.deep.equal({
      code: 1,
      errors: 'Go 1.26 or newer is missing: see https://go.dev/doc/install',
    });
  });

  it('are refused of a version that is not known', async () => {
    const test = path.join(folder, 'test.sh');
    const { code, errors } = await runCommand(process.env, ['sh', test, '--oldest']);
    expect({ code, errors }).to.deep.equal({
      code: 1,
      errors: 'usage: npm run test:clients [-- --newest]\n',
    });
  });
});
