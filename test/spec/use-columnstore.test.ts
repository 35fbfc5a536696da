// The answer is the same with and without: what differs is where its rows are read.
import { expect } from 'chai';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { sharedServer, type Answer } from '../support/start-server.js';

const way = ({ headers }: Answer) => headers.get('x-evalstore-columnstore');

describe('use_columnstore', () => {
  const server = sharedServer();
  const many = 20_001;

  const post = (where: string, body: object): Promise<Answer> =>
    server().request('POST', where, body);

  async function projectWith(name: string, rows: number): Promise<string> {
    const id = String((await post('/v1/project', { name })).json()['id']);
    await insert(id, rows);
    return id;
  }

  async function insert(id: string, rows: number): Promise<void> {
    const events = Array.from({ length: rows }, (_, n) => ({ metadata: { n: n % 3 } }));
    expect((await post(`/v1/project_logs/${id}/insert`, { events })).status).to.equal(200);
  }

  const ask = (id: string, more: object): Promise<Answer> =>
    post('/query', {
      query: `dimensions: metadata.n | measures: count(1) as rows | from: project_logs('${id}')`,
      ...more,
    });

  const segments = async (id: string): Promise<readonly string[]> => {
    const files = await readdir(path.join(server().dir, 'segments'), { recursive: true });
    return files.filter((file) => file.includes(id) && file.endsWith('.idx'));
  };

  it('many buffered rows are moved to a segment first, once a minute, and the answer is the same', async () => {
    const id = await projectWith('sealed', many);
    const without = await ask(id, {});
    expect(way(without)).to.equal(null);
    const past = await ask(id, {
      use_columnstore: true,
      version: without.headers.get('x-evalstore-version'),
    });
    expect(way(past), 'of a version').to.equal('buffer');
    expect(await segments(id)).to.deep.equal([]);

    const sealed = await ask(id, { use_columnstore: true });
    expect(way(sealed)).to.equal('sealed');
    expect(await segments(id)).to.have.length(1);
    expect(without.status).to.equal(200);
    for (const answer of [past, sealed]) expect(answer.text).to.equal(without.text);
    expect(way(await ask(id, { use_columnstore: true }))).to.equal('segments');

    await insert(id, many);
    expect(way(await ask(id, { use_columnstore: true })), 'in the same minute').to.equal('buffer');
    expect(await segments(id)).to.have.length(1);
  });

  it('few buffered rows are read where they are', async () => {
    const id = await projectWith('few', 3);
    expect(way(await ask(id, { use_columnstore: true }))).to.equal('buffer');
    expect(way(await ask(id, { use_columnstore: false }))).to.equal(null);
    const empty = await projectWith('empty', 0);
    expect(way(await ask(empty, { use_columnstore: true }))).to.equal('segments');
  });
});
