// Proof that the differential test sees: each fault, planted into a copy of the built server, is found
// within 100 histories.
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect } from 'chai';
import type * as support from '../support/start-server.js';
import { explore, newSeed } from './explore.js';

type Support = Pick<typeof support, 'startServer'>;

interface Fault {
  readonly name: string;
  /** Below dist/src/. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

const faults: readonly Fault[] = [
  {
    name: 'a page holds one trace more',
    file: 'query/trace-page.js',
    from: 'traces.size === limit',
    to: 'traces.size === limit + 1',
  },
  {
    name: 'the last row of a page comes again on the next one',
    file: 'query/trace-page.js',
    from: '_position < ${position}',
    to: '_position <= ${position}',
  },
  {
    name: 'traces of one transaction come in ascending order',
    file: 'query/trace-page.js',
    from: 'root_span_id DESC',
    to: 'root_span_id ASC',
  },
  {
    name: 'a cursor does not pin its snapshot',
    file: 'service/events.js',
    from: 'version: decoded.version, after',
    to: 'version: null, after',
  },
  {
    name: 'a tuple does not leave out its own rows',
    file: 'service/events.js',
    from: 'position: -1',
    to: 'position: 1_000_000',
  },
  {
    name: 'pages after a tuple show rows that were deleted since',
    file: 'query/fetch-rows.js',
    from: 'return gone === null',
    to: 'return gone !== undefined',
  },
  {
    name: 'tombstones are shown',
    file: 'store/read/snapshot-sources.js',
    from: 'source.hasTombstones ?',
    to: 'source.hasTombstones === null ?',
  },
  {
    name: 'a version does not show its own transaction',
    file: 'store/read/snapshot-sources.js',
    from: 'sql `_xact_id <= ${version}`',
    to: 'sql `_xact_id < ${version}`',
  },
  {
    name: 'supersessions are ignored',
    file: 'store/read/snapshot-sources.js',
    from: '!this.#state.superseded.has(source)',
    to: 'this.#state.superseded.has(source)',
  },
  {
    name: 'a version still shows what its own transaction superseded',
    file: 'store/read/snapshot-sources.js',
    from: 'by_xact_id <= ${version}',
    to: 'by_xact_id < ${version}',
  },
  {
    name: 'a row superseded in the transaction after a version is missing from it',
    file: 'store/commit/commit-group.js',
    from: 'push({ source, row, byXactId })',
    to: 'push({ source, row, byXactId: byXactId - 1n })',
  },
  {
    name: 'a merge puts the new keys first',
    file: 'json/deep-merge.js',
    from: 'const merged = new Map(membersOf(base));',
    to: 'const merged = new Map([...membersOf(patch), ...membersOf(base)]);',
  },
  {
    name: 'a merge descends below its merge paths',
    file: 'event/merge.js',
    from: 'pathsBelow(mergePaths, column)',
    to: '[]',
  },
  {
    name: 'a merge takes the creation time that was sent with it',
    file: 'event/merge.js',
    from: 'created: base.created',
    to: 'created: event.created ?? base.created',
  },
  {
    name: 'events of one request do not see each other when the row is stored',
    file: 'event/apply.js',
    from: 'rows.get(id) ?? live.get(id)',
    to: 'live.get(id) ?? rows.get(id)',
  },
  {
    name: 'a row keeps the place of its first occurrence in a request',
    file: 'event/apply.js',
    from: 'rows.delete(event.id);',
    to: '',
  },
  {
    name: 'a child starts a trace of its own',
    file: 'event/apply.js',
    from: 'rootSpanId: parent.root_span_id',
    to: 'rootSpanId: parent.span_id',
  },
  {
    name: 'numbers beyond doubles lose digits when a path selects them',
    file: 'store/read/snapshot-sources.js',
    from: 'hasLossless: generation.lossless > 0',
    to: 'hasLossless: false',
  },
  {
    name: 'NULL comes first in descending order',
    file: 'query/row-source.js',
    from: 'DESC NULLS LAST',
    to: 'DESC NULLS FIRST',
  },
];

const projectRoot = fileURLToPath(new URL('../../../', import.meta.url));

/** Everything that the server needs to run from there. */
async function copyBuild(to: string): Promise<void> {
  for (const part of ['package.json', 'dist/src', 'dist/test/support'])
    await cp(path.join(projectRoot, part), path.join(to, part), { recursive: true });
  await symlink(path.join(projectRoot, 'node_modules'), path.join(to, 'node_modules'));
}

/** Returns what takes the fault out again. */
async function plant(build: string, { file, from, to }: Fault): Promise<() => Promise<void>> {
  const target = path.join(build, 'dist/src', file);
  const text = await readFile(target, 'utf8');
  if (text.split(from).length !== 2)
    throw new Error(`${file}: expected to find ${from} once, so that a fault can be planted`);
  await writeFile(
    target,
    text.replace(from, () => to),
  );
  return () => writeFile(target, text);
}

describe('the differential test finds', () => {
  let build: string;

  before(async () => {
    build = await mkdtemp(path.join(tmpdir(), 'evalstore-faults-'));
    await copyBuild(build);
  });

  after(() => rm(build, { recursive: true, force: true }));

  for (const fault of faults)
    it(`${fault.name}, within 100 histories`, async () => {
      const restore = await plant(build, fault);
      const module = path.join(build, 'dist/test/support/start-server.js');
      const { startServer } = (await import(pathToFileURL(module).href)) as Support;
      const server = await startServer();
      try {
        const seed = newSeed();
        const plan = { seed, histories: 100, lanes: 1, isReduced: false };
        const { failure, histories } = await explore(server, plan);
        expect(failure, `seed ${seed}: not found`).to.not.equal(null);
        process.stdout.write(`      found in history ${histories} of seed ${seed}\n`);
      } finally {
        await server.stop();
        await restore();
      }
    });
});
