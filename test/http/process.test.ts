import { expect } from 'chai';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, readdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createProject, listObjects, namesOf, type StoredObject } from '../support/objects.js';
import { openServer, type HostedOptions } from '../support/hosted-server.js';
import {
  runToExit,
  spawnServer,
  startServer,
  type ServerProcess,
  type TestServer,
} from '../support/start-server.js';
import { addOrganisation } from '../support/other-organisation.js';
import { rejection } from '../support/rejection.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { waitUntil } from '../support/wait-until.js';

describe('the process', () => {
  const directory = temporaryDirectory();
  const running: ServerProcess[] = [];
  const hosted: TestServer[] = [];

  const start = async (environment: Readonly<Record<string, string | undefined>> = {}) => {
    const server = await startServer({ dir: path.join(directory(), 'data'), environment });
    running.push(server);
    return server;
  };
  /** In a process with others, where a test is about its directory, or about another process. */
  const open = async (options: HostedOptions = {}) => {
    const server = await openServer({ dir: path.join(directory(), 'data'), ...options });
    hosted.push(server);
    return server;
  };
  afterEach(async () => {
    for (const server of running.splice(0)) await server.kill();
    for (const server of hosted.splice(0)) await server.stop();
  });

  it('prints a key at the first start only, keeps no copy of it, and says on its last line where it listens', async () => {
    const none = { EVALSTORE_API_KEY: undefined };
    const listening = String.raw`evalstore listening on http://127\.0\.0\.1:\d+\n$`;
    const first = await start(none);
    const printed = new RegExp(`^API key, shown only this once: (es-[\\w-]{43})\n${listening}`);
    const key = printed.exec(first.output())?.[1];
    expect(key, first.output()).to.be.a('string');
    const options = { key: key! };
    const create = async (server: TestServer, name: string) =>
      (await server.request('POST', '/v1/project', { name }, options)).json();
    await create(first, 'before stop');
    expect(first.log()).not.to.contain(key);
    expect(await first.stop()).to.deep.equal({ code: 0, signal: null });
    for (const name of await readdir(first.dir)) {
      const content = await readFile(path.join(first.dir, name)).catch(() => '');
      expect(content.includes(key!), name).to.equal(false);
    }
    const second = await start(none);
    expect(second.output()).to.match(new RegExp(`^${listening}`));
    await create(second, 'before kill');
    await second.kill();
    const third = await open({ environment: none });
    const { objects } = (await third.request('GET', '/v1/project', undefined, options)).json();
    expect(namesOf(objects as StoredObject[])).to.deep.equal(['before kill', 'before stop']);
  });

  it('says that the configured key was deleted, and prints another one', async () => {
    const first = await start();
    const [key] = (await first.request('GET', '/v1/api_key')).json()['objects'] as StoredObject[];
    expect((await first.request('DELETE', `/v1/api_key/${key!.id}`)).status).to.equal(200);
    await first.stop();
    const second = await start();
    expect((await second.request('GET', '/v1/project')).status).to.equal(401);
    const printed = /^API key, shown only this once: (es-[\w-]{43})\n/.exec(second.output())?.[1];
    const another = await second.request('GET', '/v1/project', undefined, { key: printed! });
    expect(another.status).to.equal(200);
    expect(second.log()).to.contain(
      'EVALSTORE_API_KEY: this key was deleted and is not valid, set another value or remove the variable',
    );
  });

  it('renames its organisation when another name is configured', async () => {
    const first = await open();
    await createProject(first);
    await first.stop();
    const second = await open({ environment: { EVALSTORE_ORG: 'EvalStore' } });
    const [organisation] = await listObjects(second, '/v1/organization');
    expect(organisation).to.include({ name: 'EvalStore' });
    await second.stop();
    const third = await open({ environment: { EVALSTORE_ORG: 'Acme' } });
    expect(await listObjects(third, '/v1/project?org_name=Acme')).to.have.length(1);
    expect(await listObjects(third, '/v1/project?org_name=evalstore')).to.have.length(0);
    await third.stop();
    const [kept] = await listObjects(await open(), '/v1/organization');
    expect(kept, 'without the variable').to.include({ name: 'Acme' });
  });

  it('refuses the name of another organisation for its own, in one sentence', async () => {
    const first = await open();
    await first.stop();
    await addOrganisation(first.dir);
    const { code, output, log } = await runToExit({
      dir: first.dir,
      environment: { EVALSTORE_ORG: 'stranger' },
    });
    expect([code, output]).to.deep.equal([1, '']);
    expect(log).to.equal(
      'cannot start: EVALSTORE_ORG: another organisation is already named "stranger"\n',
    );
    await createProject(await open());
  });

  it('refuses a directory that another server uses, in one sentence', async () => {
    const server = await open();
    const { code, output, log } = await runToExit({ dir: server.dir });
    expect(code).to.equal(1);
    expect(output).to.equal('');
    expect(log).to.equal(
      `another process is using the data directory ${server.dir}: stop it first\n`,
    );
  });

  it('refuses a database that is damaged, in one sentence', async () => {
    const file = path.join(directory(), 'meta.duckdb');
    await writeFile(file, 'x'.repeat(10_000));
    expect((await rejection(open({ dir: directory() }))).message).to.equal(
      `RequestError: the database file ${file} is damaged: restore the data directory from a backup`,
    );
  });

  it('refuses a wrong setting, in one sentence', async () => {
    const { code, log } = await runToExit({
      dir: directory(),
      environment: { EVALSTORE_PORT: 'eighty' },
    });
    expect(code).to.equal(2);
    expect(log).to.equal('EVALSTORE_PORT: expected an integer from 0 to 65535, got "eighty"\n');
  });

  it('refuses a port that is taken, in one sentence, before it makes a key, and warns of a misspelt setting', async () => {
    const { port } = new URL((await open({ dir: path.join(directory(), 'other') })).url);
    const dir = path.join(directory(), 'data');
    const none = { EVALSTORE_API_KEY: undefined };
    const { code, output, log } = await runToExit({
      dir,
      environment: { ...none, EVALSTORE_PORT: port, EVALSTORE_PROT: '1' },
    });
    expect(code).to.equal(1);
    const [warning = '', ...said] = log.split('\n');
    expect(JSON.parse(warning)).to.include({
      name: 'EVALSTORE_PROT',
      msg: 'unknown setting',
    });
    expect(said.join('\n')).to.equal(
      `cannot start: another process listens on 127.0.0.1:${port}: set EVALSTORE_PORT to another port\n`,
    );
    expect(output).to.equal('');
    const server = await start(none);
    const [, key = ''] = /^API key, shown only this once: (\S+)$/m.exec(server.output()) ?? [];
    expect((await server.request('GET', '/v1/project', undefined, { key })).status).to.equal(200);
  });

  it('ends at a signal that comes while it starts, in one sentence', async () => {
    const dir = path.join(directory(), 'data');
    const { pid, exit } = spawnServer({ dir });
    await waitUntil('it has begun', () => existsSync(path.join(dir, 'meta.duckdb')));
    process.kill(pid, 'SIGTERM');
    expect(await exit).to.deep.equal({
      code: 1,
      signal: null,
      output: '',
      log: 'stopped before it listened\n',
    });
    await createProject(await open());
  });

  it('shuts other users out of the data directory, also out of one that is there already', async () => {
    const dir = path.join(directory(), 'data');
    await mkdir(dir);
    await chmod(dir, 0o755);
    const server = await open();
    const { id } = await createProject(server);
    const insert = `/v1/project_logs/${id}/insert`;
    await server.request('POST', insert, { events: [{ id: 'a', input: 1 }] });
    await server.settle();
    await server.request('POST', insert, { events: [{ id: 'b', input: 1 }] });
    const entries = await readdir(dir, { recursive: true });
    expect(entries).to.include.members(['meta.duckdb', 'meta.duckdb.wal', 'segments', 'tmp']);
    expect(entries.filter((name) => /^segments.*\d\.parquet$/.test(name))).to.have.lengthOf(1);
    for (const name of ['.', ...entries]) {
      const { mode } = await stat(path.join(dir, name));
      expect((mode & 0o077).toString(8), name).to.equal('0');
    }
  });

  it('names a damaged segment in its answers and once in the log, and reads the others', async () => {
    const first = await open();
    const paths: string[] = [];
    for (const name of ['damaged', 'sound']) {
      const { id } = await createProject(first, { name });
      paths.push(`/v1/project_logs/${id}`);
      await first.insert(`project_logs/${id}`, [{ input: name }]);
      await first.settle();
    }
    await first.stop();
    const [project] = paths[0]!.split('/').slice(-1);
    const segment = `project_id=${project}/00000003`;
    const file = path.join(first.dir, 'segments', `${segment}.parquet`);
    const bytes = await readFile(file);
    bytes[bytes.length >> 1]! ^= 1;
    await writeFile(file, bytes);
    const second = await open();
    for (let round = 0; round < 2; round++) {
      const answer = await second.request('GET', `${paths[0]}/fetch`);
      expect(answer.status).to.equal(503);
      expect(answer.text).to.equal(`the segment ${segment} is missing or damaged`);
    }
    const sound = await second.get(`${paths[1]}/fetch`);
    expect((sound['events'] as object[])[0]).to.include({ input: 'sound' });
    const errors = second
      .log()
      .split('\n')
      .filter((line) => line.includes('"level":50'))
      .map((line) => JSON.parse(line) as object);
    expect(errors).to.have.lengthOf(1);
    expect(errors[0]).to.include({
      file: `segments/${segment}.parquet`,
      problem: 'its checksum is not that of what was written',
      msg: 'a file of a segment is missing or damaged: restore it from a backup',
    });
  });
});
