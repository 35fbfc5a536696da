// A client in Go that is generated from the OpenAPI document compiles, stores and reads.
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { sharedServer } from '../support/start-server.js';
import { root, runCommand, variablesFor } from './run-program.js';

const generator = path.join(root, '.go/oapi-codegen');

describe('OpenAPI document in Go', () => {
  const server = sharedServer();
  let directory: string;
  before(async () => (directory = await mkdtemp(path.join(tmpdir(), 'evalstore-go-'))));
  after(() => rm(directory, { recursive: true, force: true }));

  const run = async (...command: readonly [string, ...string[]]) => {
    // The modules are there; nothing is downloaded.
    const env = { ...process.env, ...variablesFor(server()), GOPROXY: 'off', GOTOOLCHAIN: 'local' };
    const { code, out, errors } = await runCommand(env, command, directory);
    expect({ code, errors }, out).to.deep.equal({ code: 0, errors: '' });
    return out;
  };

  it('is a client whose program stores, reads and gets the sentence of an error', async () => {
    if (!existsSync(generator))
      throw new Error(
        'the generator is missing: run "sh test/clients/go/install.sh", which needs Go',
      );
    for (const file of ['go.mod', 'go.sum', 'main.go'])
      await copyFile(path.join(root, 'test/clients/go', file), path.join(directory, file));
    await mkdir(path.join(directory, 'api'));
    const { text } = await server().request('GET', '/openapi.json');
    await writeFile(path.join(directory, 'openapi.json'), text);
    const options = ['-generate', 'types,client', '-package', 'api', '-o', 'api/api.go'];
    await run(generator, ...options, 'openapi.json');
    expect((await run('go', 'run', '.')).trim().split('\n')).to.deep.equal([
      'rows [row]',
      'fetched map[answer:42] 0.1',
      'queried [map[mean:0.1 n:1]]',
      "error 400 query line 1, column 1: expected a clause such as 'select:' or 'filter:', found 'x'",
    ]);
  });
});
