// A client that has an answer is told that it still holds, without anything being read, and never when it does not.
import { expect } from 'chai';
import { rename } from 'node:fs/promises';
import path from 'node:path';
import { createExperiment, createProject } from '../support/objects.js';
import { sharedServer, type Answer } from '../support/start-server.js';

const versionOf = ({ headers }: Answer) => headers.get('x-evalstore-version');

const tagOf = ({ headers }: Answer): string => headers.get('etag') ?? 'no tag';

type Ask = (tag?: string) => Promise<Answer>;

const tag = async (ask: Ask) => tagOf(await ask());

describe('tags of answers', () => {
  const server = sharedServer({ tuning: {} });
  let projectId: string;
  let id: string;
  let other: string;

  const asking =
    (method: string, where: () => string, body?: () => object): Ask =>
    (tag) =>
      server().request(
        method,
        where(),
        body?.(),
        tag === undefined ? {} : { headers: { 'If-None-Match': tag } },
      );

  const querying = (clauses: string, more: object = {}): Ask =>
    asking(
      'POST',
      () => '/query',
      () => ({ query: `${clauses} | from: experiment('${id}')`, ...more }),
    );

  const insert = async (object: string, ...events: readonly object[]) => {
    await server().insert(`experiment/${object}`, events);
  };

  const asked: Readonly<Record<string, Ask>> = {
    'a query': querying('select: id, input, scores, comments'),
    'a query in another format': querying('select: id, input, scores', { fmt: 'jsonl' }),
    'a query of the project': asking(
      'POST',
      () => '/query',
      () => ({ query: `measures: count(1) as n, avg(input) as i | from: project('${projectId}')` }),
    ),
    'a fetch by GET': asking('GET', () => `/v1/experiment/${id}/fetch?limit=5`),
    'a fetch by POST': asking(
      'POST',
      () => `/v1/experiment/${id}/fetch`,
      () => ({ filters: [{ type: 'path_lookup', path: ['metadata', 'kept'], value: true }] }),
    ),
  };

  before(async () => {
    ({ id: projectId } = await createProject(server()));
    ({ id } = await createExperiment(server(), projectId));
    ({ id: other } = await createExperiment(server(), projectId));
  });

  beforeEach(() => insert(id, { id: 'a', input: 1, metadata: { kept: true } }));

  const changes: Readonly<Record<string, () => Promise<unknown>>> = {
    'an insert': () => insert(id, { id: 'b', input: 2, metadata: { kept: true } }),
    'a replacement': () => insert(id, { id: 'a', input: 3, metadata: { kept: true } }),
    'a merge': () => insert(id, { id: 'a', _is_merge: true, input: 4 }),
    'a deletion': () => insert(id, { id: 'a', _object_delete: true }),
    'a flush and an insert': async () => {
      await server().settle();
      await insert(id, { id: 'b', input: 5, metadata: { kept: true } });
    },
  };

  for (const [what, ask] of Object.entries(asked)) {
    it(`${what} is answered with 304 for as long as its rows are the same, also in segments`, async () => {
      const first = await ask();
      expect(first.status).to.equal(200);
      const tag = tagOf(first);
      const given = [
        tag,
        `"x", ${tag}`,
        `"a, b" ,W/"c,",${tag} `,
        tag.replace('W/', ''),
        '*',
        ' * ',
      ];
      for (const each of given) {
        const again = await ask(each);
        expect([again.status, again.text, tagOf(again)], each).to.deep.equal([304, '', tag]);
        expect(versionOf(again), each).to.equal(versionOf(first));
      }
      await server().settle();
      expect((await ask(tag)).status, 'after a flush').to.equal(304);
      for (const other of ['W/"other"', '"*"', '"*", *', tag.slice(3, -1)])
        expect((await ask(other)).text, other).to.equal((await ask()).text);
    });

    for (const [change, make] of Object.entries(changes))
      it(`${what} is answered anew after ${change}`, async () => {
        const before = await ask();
        expect((await ask(tagOf(before))).status).to.equal(304);
        await make();
        const after = await ask(tagOf(before));
        expect([after.status, after.text]).to.deep.equal([200, (await ask()).text]);
        expect(after.text).not.to.equal(before.text);
        expect((await ask(tagOf(after))).status).to.equal(304);
      });
  }

  it('a query is answered anew after a comment', async () => {
    const ask = asked['a query']!;
    const before = await ask();
    const feedback = [{ id: 'a', comment: 'good' }];
    const where = `/v1/experiment/${id}/feedback`;
    await server().post(where, { feedback });
    const after = await ask(tagOf(before));
    expect([after.status, after.text.includes('good')]).to.deep.equal([200, true]);
  });

  it('events of another experiment change the answers of those alone that read it', async () => {
    const whole = await asked['a query of the project']!();
    const one = await asked['a query']!();
    await insert(other, { input: 6 });
    expect((await asked['a query']!(tagOf(one))).status).to.equal(304);
    expect((await asked['a query of the project']!(tagOf(whole))).status).to.equal(200);
  });

  it('a past version keeps its tag, and has another one than what came after it', async () => {
    const version = (await asked['a query']!()).headers.get('x-evalstore-version');
    await insert(id, { id: 'a', input: 7 });
    const past = querying('select: id, input, scores, comments', { version });
    const first = await past();
    await insert(id, { id: 'a', input: 8 });
    const again = await past(tagOf(first));
    expect([again.status, versionOf(again)]).to.deep.equal([304, version]);
    expect((await asked['a query']!(tagOf(first))).status).to.equal(200);
  });

  it('what is asked in another way has another tag, and another spelling the same', async () => {
    const same = await tag(querying('select: input'));
    expect(await tag(querying('select:   input '))).to.equal(same);
    const others = [
      querying('select: id'),
      querying('select: 1 + 1'),
      // Its column has another name.
      querying('select: 1+1'),
      querying('select: input | limit: 1'),
      querying('select: input', { fmt: 'csv' }),
      querying('select: input', { tz_offset: 60 }),
    ];
    const tags = await Promise.all(others.map(tag));
    expect(new Set([same, ...tags]).size).to.equal(1 + others.length);
  });

  it('a sort by the number of a column has another tag than one by a name', async () => {
    const tags = ['ORDER BY 1', 'order by 1 asc', 'ORDER BY id'].map((order) =>
      tag(
        asking(
          'POST',
          () => '/query',
          () => ({
            query: `SELECT DISTINCT id AS input, input AS id FROM experiment('${id}') ${order}`,
          }),
        ),
      ),
    );
    const [byNumber, again, byName] = await Promise.all(tags);
    expect(again).to.equal(byNumber);
    expect(byName).not.to.equal(byNumber);
  });

  it('queries on prompts and on the time of the request have no tag', async () => {
    const onPrompts = asking(
      'POST',
      () => '/query',
      () => ({ query: `select: name | from: project_prompts('${projectId}')` }),
    );
    const onTime = querying('select: id | filter: created > now() - interval 1 day');
    for (const ask of [onPrompts, onTime]) {
      const { status, headers } = await ask();
      expect([status, headers.get('etag')]).to.deep.equal([200, null]);
    }
  });

  it('who may not read an object is refused whatever tag is sent', async () => {
    const { id: gone } = await createExperiment(server(), projectId);
    const query = { query: `select: id | from: experiment('${gone}')` };
    const tag = tagOf(await server().request('POST', '/query', query));
    await server().request('DELETE', `/v1/experiment/${gone}`);
    for (const given of [tag, '*']) {
      const headers = { 'If-None-Match': given };
      expect((await server().request('POST', '/query', query, { headers })).status).to.equal(400);
    }
  });

  it('nothing is read for a 304', async () => {
    await server().settle();
    const tag = tagOf(await asked['a fetch by GET']!());
    const segments = path.join(server().dir, 'segments');
    await rename(segments, `${segments}-elsewhere`);
    try {
      expect((await asked['a fetch by GET']!()).status).to.equal(503);
      expect((await asked['a fetch by GET']!(tag)).status).to.equal(304);
    } finally {
      await rename(`${segments}-elsewhere`, segments);
    }
  });
});
