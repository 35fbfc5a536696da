// Data directories that older releases wrote open, give the answers that they gave then, and take what is new.
import { expect } from 'chai';
import { recoverObjects } from '../../src/catalog/recovered-objects.js';
import { checkStore } from '../../src/store/check/check-store.js';
import { rebuildManifest } from '../../src/store/rebuild/rebuild-manifest.js';
import { openServer } from '../support/hosted-server.js';
import type { TestServer } from '../support/start-server.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { archives, expectKeptAnswers, unpack } from './kept-answers.js';
import { presentSchema, schemaOf } from './schema.js';

const classified = (id: string, ...more: readonly object[]) =>
  Object.assign(
    { id, classifications: { plain: 'y', n: 0.5, topic: [{ id: 'sports' }] } },
    ...more,
  );

const merge = { _is_merge: true };

const environment = { EVALSTORE_PUBLIC_URL: 'http://evalstore.test' };

/** Onto rows of the older release, more than one of a row group. */
const merges = [
  {
    id: 'r1',
    ...merge,
    metadata: { more: 1 },
    classifications: { plain: 'x', topic: [{ id: 'art' }] },
  },
  { id: 'r3', ...merge, metadata: { more: 3 } },
  { id: 'r5', ...merge, classifications: null },
];

/** The field in events of its own version and of older ones. */
async function expectClassifications(server: TestServer, log: string): Promise<void> {
  const rows = async (clauses: string) => {
    const query = `from: project_logs('${log.split('/').at(-1)}') | ${clauses}`;
    return (await server.query(query)) as readonly object[];
  };
  const filtered = async (path: readonly string[], value: unknown) => {
    const filters = [{ type: 'path_lookup', path, value }];
    const answer = await server.post(`${log}/fetch`, { filters });
    return (answer['events'] as readonly { readonly id: string }[]).map(({ id }) => id).sort();
  };
  const merged = { plain: 'x', topic: [{ id: 'art' }], later: { a: 1 } };
  expect(
    await rows('select: id, classifications as c | filter: classifications is not null | sort: id'),
  ).to.deep.equal([
    { id: 'new 1', c: classified('').classifications },
    { id: 'new 2', c: classified('').classifications },
    { id: 'r1', c: merged },
  ]);
  expect(await rows('select: classifications.topic[0].id as t | filter: id = "r1"')).to.deep.equal([
    { t: 'art' },
  ]);
  expect(await rows('select: * | filter: id = "r3"')).to.have.nested.property(
    '[0].classifications',
    null,
  );
  expect(
    await rows(
      'dimensions: classifications.plain as p | measures: count(1) as n, sum(classifications.n) as s | filter: id in ["r1", "r3", "new 1", "new 2"] | sort: p',
    ),
  ).to.deep.equal([
    { p: 'x', n: 1, s: null },
    { p: 'y', n: 2, s: 1 },
    { p: null, n: 1, s: null },
  ]);
  expect(
    await rows(
      'unpivot: classifications as (name, value) | dimensions: name | measures: count(1) as n | sort: name',
    ),
  ).to.deep.equal([
    { name: 'later', n: 1 },
    { name: 'n', n: 2 },
    { name: 'plain', n: 3 },
    { name: 'topic', n: 3 },
  ]);
  expect(await filtered(['classifications', 'plain'], 'y')).to.deep.equal(['new 1', 'new 2']);
  expect(await filtered(['classifications'], null)).to.include.members(['r3', 'r4', 'r5']);
}

describe('data directories of older releases', () => {
  const directory = temporaryDirectory();

  it('are kept for every format', () => {
    expect(archives).to.have.members([
      'buffer-only.tar.gz',
      'segments.tar.gz',
      'segments-3.tar.gz',
      'segments-3-killed.tar.gz',
      'segments-4.tar.gz',
    ]);
  });

  for (const archive of archives)
    it(`open, give the same answers and take more rows: ${archive}`, async () => {
      const kept = unpack(archive, directory());
      expect(await checkStore(directory())).to.deep.equal([]);
      const start = (compaction: object) =>
        openServer({
          dir: directory(),
          environment,
          tuning: { compaction, segments: { narrowRowsMin: 1 } },
        });
      let server = await start({ fanOut: 100, supersededShare: 2 });
      const { log } = kept;
      const insert = (events: readonly object[]) => server.post(`${log}/insert`, { events });
      try {
        expect(kept.answers).to.have.length.of.at.least(6);
        await expectKeptAnswers(server, kept);
        if (kept.key !== undefined)
          (await server.request('GET', '/v1/project', undefined, { key: kept.key })).json();
        const everything = await server.request('GET', `${log}/fetch`);
        const version = everything.headers.get('x-evalstore-version') ?? '';
        await insert([...merges, classified('new 1')]);
        await insert([
          { id: 'r1', ...merge, classifications: { later: { a: 1 } } },
          classified('new 2'),
        ]);
        await expectClassifications(server, log);
        await server.settle();
        await expectClassifications(server, log);
        await server.stop();
        server = await start({ fanOut: 2, idleMs: 0 });
        await server.settle();
        await expectClassifications(server, log);
        const found = (await server.get(`${log}/fetch`))['events'];
        expect((found as readonly { readonly id: string }[]).find(({ id }) => id === 'r1'))
          .to.have.property('metadata')
          .that.deep.equals({ model: 'm1', 'a.b': '1', A: true, note: 'merged', more: 1 });
        const before = await server.request('GET', `${log}/fetch?version=${version}`);
        expect(before.text).to.equal(everything.text);
      } finally {
        await server.stop();
      }
      expect(await checkStore(directory())).to.deep.equal([]);
      expect(await schemaOf(directory())).to.deep.equal(presentSchema);
    }).timeout(120_000);

  it('are made anew by a rebuild of the manifest', async () => {
    const kept = unpack('segments-3.tar.gz', directory());
    await rebuildManifest(directory(), { memoryMb: 512, threads: 1 }, async (writer, objects) => {
      expect(await recoverObjects(writer, objects, 'evalstore')).to.deep.equal([]);
      return [];
    });
    expect(await checkStore(directory())).to.deep.equal([]);
    const server = await openServer({ dir: directory(), environment });
    try {
      await expectKeptAnswers(server, kept, (where) => where.includes('/fetch'));
    } finally {
      await server.stop();
    }
  }).timeout(60_000);
});
