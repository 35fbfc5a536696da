// Data directories that releases wrote open, give the answers that they gave then, and take what is new.
import { expect } from 'chai';
import { recoverObjects } from '../../src/catalog/recovered-objects.js';
import { checkStore } from '../../src/store/check/check-store.js';
import { rebuildManifest } from '../../src/store/rebuild/rebuild-manifest.js';
import { openServer } from '../support/hosted-server.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { archives, expectKeptAnswers, unpack } from './kept-answers.js';
import { schemaOf } from './schema.js';

const merge = { _is_merge: true };

const environment = { EVALSTORE_PUBLIC_URL: 'http://evalstore.test' };

describe('data directories of releases', () => {
  const directory = temporaryDirectory();
  const newDirectory = temporaryDirectory();

  it('are kept for every format', () => {
    expect(archives).to.have.members(['release-1.tar.gz', 'release-1-killed.tar.gz']);
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
      try {
        expect(kept.answers).to.have.length.of.at.least(30);
        await expectKeptAnswers(server, kept);
        (await server.request('GET', '/v1/project', undefined, { key: kept.key })).json();
        const everything = await server.request('GET', `${log}/fetch`);
        const version = everything.headers.get('x-evalstore-version') ?? '';
        await server.post(`${log}/insert`, {
          events: [{ id: 'r1', ...merge, metadata: { more: 1 } }, { id: 'new' }],
        });
        await server.settle();
        await server.stop();
        server = await start({ fanOut: 2, idleMs: 0 });
        await server.settle();
        const query = `from: project_logs('${log.split('/').at(-1)}') | select: id, metadata | filter: id in ["new", "r1"] | sort: id`;
        expect(await server.query(query)).to.deep.equal([
          { id: 'new', metadata: null },
          {
            id: 'r1',
            metadata: { model: 'm1', 'a.b': '1', A: true, note: 'merged', more: 1 },
          },
        ]);
        const before = await server.request('GET', `${log}/fetch?version=${version}`);
        expect(before.text).to.equal(everything.text);
      } finally {
        await server.stop();
      }
      expect(await checkStore(directory())).to.deep.equal([]);
      await (await openServer({ dir: newDirectory() })).stop();
      expect(await schemaOf(directory())).to.deep.equal(await schemaOf(newDirectory()));
    }).timeout(120_000);

  it('are made anew by a rebuild of the manifest', async () => {
    const kept = unpack('release-1.tar.gz', directory());
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
