// The command that adds and revokes API keys, on a directory that a server uses before and after.
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { HighWaterMark } from '../../src/duckdb/high-water-mark.js';
import { recordedTransactions } from '../../src/duckdb/transaction-count.js';
import { evalstore } from '../support/command-line.js';
import { startServer } from '../support/start-server.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const run = promisify(execFile);

describe('evalstore keys', () => {
  const directory = temporaryDirectory();

  const keys = async (...parameters: readonly string[]) => {
    const env = { ...process.env, EVALSTORE_DATA_DIR: directory() };
    return (await run(process.execPath, [evalstore, 'keys', ...parameters], { env })).stdout.trim();
  };
  const failure = async (...parameters: readonly string[]) => {
    const failed = await keys(...parameters).catch(
      (error: { code: number; stderr: string }) => error,
    );
    if (typeof failed === 'string') throw new Error(`it printed ${failed}`);
    return [failed.code, failed.stderr.trim()];
  };

  async function statusesOf(...tried: readonly string[]): Promise<readonly number[]> {
    const server = await startServer({ dir: directory() });
    const statuses = [];
    for (const key of tried) {
      statuses.push((await server.request('GET', '/v1/project', undefined, { key })).status);
    }
    await server.stop();
    return statuses;
  }

  it('adds a key of the scope metrics for an owner', async () => {
    await statusesOf();
    const [, key = ''] = /^API key, shown only this once: (\S+)\n/.exec(
      await keys('add', '--scope', 'metrics'),
    )!;
    expect(await statusesOf(key)).to.deep.equal([403]);
    const server = await startServer({ dir: directory() });
    const { text } = await server.request('GET', '/metrics', undefined, { key });
    await server.request('PATCH', '/v1/organization/members', {
      invite_users: { emails: ['ada@example.com'] },
    });
    await server.stop();
    expect(text).to.include('evalstore_buffered_rows');
    expect(await failure('add', 'ada@example.com', '--scope', 'metrics')).to.deep.equal([
      1,
      'ada@example.com owns no organisation: only an owner reads the metrics of the server',
    ]);
  });

  it('adds a key, lists it with what tells it from others, and revokes it', async () => {
    expect(await statusesOf('test-key-of-tests')).to.deep.equal([200]);
    const listed = async () => (await keys('list')).split('\n');
    const ids = async () => (await listed()).map((line) => line.split(' ')[0]);
    const [first] = await ids();
    const [, key = '', id = ''] = /^API key, shown only this once: (\S+)\nid: (\S+)$/.exec(
      await keys('add'),
    )!;
    expect(await ids()).to.deep.equal([first, id]);
    const [configured, generated] = await listed();
    expect(configured).to.match(
      /^\S+ {2}created \S+Z {2}last used \S+Z {2}user \S+ {2}name "configured"$/,
    );
    expect(generated).to.match(
      /^\S+ {2}created \S+Z {2}last used never {2}user \S+ {2}name "generated"$/,
    );
    expect(await statusesOf('test-key-of-tests', key)).to.deep.equal([200, 200]);
    expect(await keys('revoke', id)).to.equal(`revoked ${id}`);
    expect(await ids()).to.deep.equal([first]);
    expect(await statusesOf('test-key-of-tests', key)).to.deep.equal([200, 401]);
  });

  it('refuses a database that has lost the end of its log, as a start does', async () => {
    await statusesOf();
    const file = path.join(directory(), 'meta.duckdb');
    const noted = (await recordedTransactions(file))!;
    await (await HighWaterMark.open(`${file}.transactions`, noted + 2n)).close();
    for (const command of ['list', 'add']) {
      const [code, said] = await failure(command);
      expect(code).to.equal(1);
      expect(said).to.match(
        /meta\.duckdb does not match .* it lacks the last 2 of its transactions: /,
      );
    }
    expect(await recordedTransactions(file)).to.equal(noted + 2n);
  });

  it('adds a key of an invited user, who has no other way to get the first one', async () => {
    const server = await startServer({ dir: directory() });
    const emails = ['Ada@example.com'];
    const body = { invite_users: { emails, group_names: ['Viewers'] } };
    await server.request('PATCH', '/v1/organization/members', body);
    await server.stop();
    const [, key = ''] = /: (\S+)\n/.exec(await keys('add', 'ada@Example.com')) ?? [];
    expect(await keys('list')).to.match(/ {2}user ada@example\.com {2}name "generated"$/);
    expect(await failure('add', 'eve@example.com')).to.deep.equal([
      1,
      'no member has the email address or id "eve@example.com"',
    ]);
    const again = await startServer({ dir: directory() });
    const project = { name: 'not hers to create' };
    const tried = await again.request('POST', '/v1/project', project, { key });
    const { objects } = (await again.request('GET', '/v1/user', undefined, { key })).json();
    await again.stop();
    expect(tried.status).to.equal(403);
    expect((objects as { email: string | null }[]).map(({ email }) => email)).to.include(
      'ada@example.com',
    );
  });

  it('adds an organisation, which the keys of the first user are for, too', async () => {
    await statusesOf();
    await keys('organization', 'second');
    expect((await failure('organization', 'SECOND'))[1]).to.equal(
      'there is an organisation named "second" already',
    );
    const server = await startServer({ dir: directory() });
    try {
      const names = (await server.get('/v1/organization'))['objects'];
      expect((names as { name: string }[]).map(({ name }) => name)).to.deep.equal([
        'second',
        'evalstore',
      ]);
      const first = await server.request('POST', '/v1/project', { name: 'p' });
      expect(first.status).to.equal(200);
      const made = await server.request('POST', '/v1/project', { name: 'p', org_name: 'second' });
      expect(made.status).to.equal(200);
      const list = async (name: string) =>
        (await server.get(`/v1/project?org_name=${name}`))['objects'];
      expect([await list('second'), await list('evalstore')]).to.deep.equal([
        [made.json()],
        [first.json()],
      ]);
      const scoped = await server.request('POST', '/v1/api_key', {
        name: 'k',
        org_name: 'evalstore',
      });
      const key = scoped.json()['key'] as string;
      const project = `/v1/project/${String(made.json()['id'])}`;
      expect((await server.request('GET', project, undefined, { key })).status).to.equal(403);
      await server.get(project);
    } finally {
      await server.stop();
    }
  });

  it('says what it cannot do', async () => {
    expect(await failure('list')).to.deep.equal([
      1,
      `${directory()}: no server has used this data directory yet`,
    ]);
    const server = await startServer({ dir: directory() });
    expect(await failure('list')).to.deep.equal([
      1,
      `another process is using the data directory ${directory()}: stop it first`,
    ]);
    await server.stop();
    expect(await failure('revoke', 'x')).to.deep.equal([1, 'no key has the id "x"']);
    expect(await failure('organization', '')).to.deep.equal([
      1,
      'the name of an organisation is empty',
    ]);
    const wrong: readonly (readonly [words: readonly string[], said: string])[] = [
      [[], 'Usage: evalstore keys [options] [command]'],
      [['revoke'], "error: missing required argument 'id'"],
      [['remove', 'x'], "error: unknown command 'remove'"],
      [['organization'], "error: missing required argument 'name'"],
      [['add', 'x', 'y'], "error: too many arguments for 'add'. Expected 1 argument but got 2."],
      [['list', 'x'], "error: too many arguments for 'list'. Expected 0 arguments but got 1."],
    ];
    for (const [words, sentence] of wrong) {
      const [code, said] = await failure(...words);
      expect(code, words.join(' ')).to.equal(2);
      expect(String(said).split('\n')[0]).to.equal(sentence);
    }
  });
});
