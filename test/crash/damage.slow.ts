// Every kind of file of a data directory, damaged in every way: what can be read is read, everything else is named, wrong
// data is never returned, and nothing that was published is deleted. src/manual/damage.md has the table.
import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { copyFile, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { checkStore } from '../../src/store/check/check-store.js';
import type { MovedFile } from '../../src/store/recovery/obsolete-files.js';
import {
  activeLogOf,
  bitsOf,
  countNamed,
  damage,
  flip,
  isDamaged,
  isMissing,
  isOld,
  makeDirectory,
  outcomeOf,
  project,
  publishedFiles,
  readAll,
  segmentOf,
  sourceOf,
  ways,
  type Directory,
  type Way,
} from '../support/damaged-directory.js';
import { filesIn } from '../support/files-in.js';
import { runToExit, startServer } from '../support/start-server.js';

const flips = 80;
/** A note has 29 bytes. */
const flipsOfNote = 20;
const loggedObjects = 2;
const activeLog = activeLogOf(loggedObjects);

describe('a damaged data directory', () => {
  let base: string;
  let segments: Directory;
  let logged: Directory;
  let directory: string;

  before(async () => {
    base = await mkdtemp(path.join(tmpdir(), 'evalstore-'));
    segments = await makeDirectory(path.join(base, 'segments'), 21, 1);
    logged = await makeDirectory(path.join(base, 'logged'), loggedObjects, 20);
    directory = path.join(base, 'damaged');
  });
  after(() => rm(base, { recursive: true, force: true }));

  async function copyOf({ path: from }: Directory): Promise<void> {
    await rm(directory, { recursive: true, force: true });
    await cp(from, directory, { recursive: true });
  }
  const at = (name: string) => path.join(directory, name);

  /** How a file of a segment ends, and how many of the answers need it at least. */
  const needs = { parquet: 5, narrow: 1, ended: 1, idx: 1, ids: 0 };

  for (const [ending, least] of Object.entries(needs)) {
    const nameOf = (object: number) => `${project}/${segmentOf(object)}.${ending}`;

    it(`with files .${ending} that are ${ways.join(', ')}: their segments are named, the rest is read`, async () => {
      await copyOf(segments);
      for (const [object, way] of ways.entries())
        await damage(at(nameOf(object)), way, at(nameOf(ways.length)));
      const problems = await checkStore(directory);
      for (const object of ways.keys())
        expect(
          problems.filter((each) => each.startsWith(`segment ${sourceOf(object)}: `)),
        ).to.have.lengthOf(1);
      expect(problems).to.have.lengthOf(ways.length);
      const left = await publishedFiles(directory);
      const named = countNamed(await readAll(directory, segments), segments, ways.length);
      for (const count of named) expect(count).to.be.at.least(least);
      expect(await publishedFiles(directory)).to.deep.equal(left);
    });

    it(`with ${flips} flipped bits in files .${ending}: their segments are named, the rest is read`, async () => {
      const damaged = segments.objects - 1;
      const draws = await bitsOf(path.join(segments.path, nameOf(0)), flips);
      for (let first = 0; first < flips; first += damaged) {
        await copyOf(segments);
        const bits = draws.slice(first, first + damaged);
        for (const [object, bit] of bits.entries()) await flip(at(nameOf(object)), bit);
        expect((await checkStore(directory)).toSorted(), `bits ${bits.join()}`).to.deep.equal(
          bits
            .map(
              (_, object) =>
                `segment ${sourceOf(object)}: its file ${segmentOf(object)}.${ending} is damaged: its checksum is not that of what was written`,
            )
            .toSorted(),
        );
        const named = countNamed(await readAll(directory, segments), segments, bits.length);
        for (const count of named) expect(count, `bits ${bits.join()}`).to.be.at.least(least);
        expect(await publishedFiles(directory)).to.deep.equal(await publishedFiles(segments.path));
      }
    });
  }

  /** The engine removes it. */
  const emptyLog = { 'meta.duckdb.wal': createHash('sha256').digest('hex') };

  /** Nothing is changed by a start that is refused. */
  async function expectRefusal(sentence: RegExp): Promise<void> {
    const before = await filesIn(directory);
    expect(await readAll(directory, logged)).to.match(sentence);
    expect({ ...emptyLog, ...(await filesIn(directory)) }).to.deep.equal({
      ...emptyLog,
      ...before,
    });
  }

  const refusals: Readonly<Record<string, Readonly<Record<Way, RegExp>>>> = {
    'meta.duckdb': {
      missing: isMissing,
      'cut to half': isDamaged,
      empty: isDamaged,
      'another file': isDamaged,
    },
    'meta.duckdb.wal': {
      missing: isOld,
      'cut to half': isOld,
      empty: isOld,
      'another file': isOld,
    },
    [activeLog]: {
      missing: isOld,
      'cut to half': isOld,
      empty: isOld,
      'another file': isOld,
    },
  };
  for (const [name, sentences] of Object.entries(refusals)) {
    for (const way of ways)
      it(`with a file ${name} that is ${way}: the start is refused, and nothing is changed`, async () => {
        await copyOf(logged);
        await damage(at(name), way, at(`${project}/${segmentOf(0)}.parquet`));
        await expectRefusal(sentences[way]);
      });

    if (name === activeLog) continue;

    it(`with the file ${name} of another directory: the start is refused, and nothing is changed`, async () => {
      await copyOf(logged);
      await copyFile(path.join(segments.path, name), at(name));
      await expectRefusal(new RegExp(`${isDamaged.source}|${isOld.source}`));
    });
  }

  it('with database and log of another directory: the start is refused, and nothing is changed', async () => {
    await copyOf(logged);
    for (const name of ['meta.duckdb', 'meta.duckdb.wal'])
      await copyFile(path.join(segments.path, name), at(name));
    await expectRefusal(isOld);
  });

  async function expectNothingDifferent(sound = logged): Promise<void> {
    expect(countNamed(await readAll(directory, sound), sound, 0)).to.deep.equal([]);
    expect(await publishedFiles(directory)).to.deep.equal(await publishedFiles(sound.path));
    expect(await checkStore(directory)).to.deep.equal([]);
  }

  /** The directory with a larger number in the file, and the other one. */
  const notes: Readonly<Record<string, () => readonly [newer: Directory, older: Directory]>> = {
    'last-transaction': () => [logged, segments],
    'meta.duckdb.transactions': () => [segments, logged],
  };
  for (const [name, directories] of Object.entries(notes)) {
    for (const way of ways)
      it(`with a file ${name} that is ${way}: nothing is different`, async () => {
        await copyOf(logged);
        await damage(at(name), way, at(`${project}/${segmentOf(0)}.parquet`));
        await expectNothingDifferent(logged);
      });

    it(`with the file ${name} of an older directory: nothing is different`, async () => {
      const [newer, older] = directories();
      await copyOf(newer);
      await copyFile(path.join(older.path, name), at(name));
      await expectNothingDifferent(newer);
    });

    it(`with the file ${name} of a newer directory: the start is refused, and nothing is changed`, async () => {
      const [newer, older] = directories();
      await copyOf(older);
      await copyFile(path.join(newer.path, name), at(name));
      await expectRefusal(isOld);
    });
  }

  /** How often there was which outcome. */
  async function flipEach(name: string, count = flips): Promise<ReadonlyMap<string, number>> {
    const outcomes = new Map<string, number>();
    for (const bit of await bitsOf(path.join(logged.path, name), count)) {
      await copyOf(logged);
      await flip(at(name), bit);
      const before = await filesIn(directory);
      const outcome = outcomeOf(await readAll(directory, logged), logged);
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      if (outcome === 'refused')
        expect(await filesIn(directory), `bit ${bit}`).to.deep.equal(before);
      expect(await publishedFiles(directory)).to.deep.equal(await publishedFiles(logged.path));
    }
    process.stdout.write(`      ${JSON.stringify([...outcomes])}\n`);
    return outcomes;
  }

  it(`with one flipped bit in the database file, ${flips} times: what is read is what it was, or refused`, async () => {
    const outcomes = await flipEach('meta.duckdb');
    expect([...outcomes.keys()]).to.include('refused');
    // Not every block of the file is in use.
    expect(['equal', 'refused', 'reads refused']).to.include.members([...outcomes.keys()]);
  });

  for (const name of ['meta.duckdb.wal', activeLog])
    it(`with one flipped bit in the file ${name}, ${flips} times: the start is refused`, async () => {
      expect([...(await flipEach(name))]).to.deep.equal([['refused', flips]]);
    });

  for (const name of Object.keys(notes))
    it(`with one flipped bit in the file ${name}, ${flipsOfNote} times: nothing is different`, async () => {
      expect([...(await flipEach(name, flipsOfNote))]).to.deep.equal([['equal', flipsOfNote]]);
    });

  const unpublished = ['superseded.parquet', 'superseded.parquet.tmp', '00000003.parquet.tmp'];
  for (const name of unpublished)
    for (const way of ways)
      it(`with a file ${name} that is ${way}: nothing is different`, async () => {
        await copyOf(logged);
        const file = at(`${project}/${name}`);
        if (name.endsWith('.tmp')) await writeFile(file, 'what a crash left behind');
        await damage(file, way, at(`${project}/${segmentOf(1)}.parquet`));
        await expectNothingDifferent();
      });

  /** A segment that the manifest does not know, in `to`. */
  async function writeUnknown(to: string): Promise<void> {
    await mkdir(at(to), { recursive: true });
    for (const ending of Object.keys(needs)) {
      const file = `${project}/${segmentOf(1)}.${ending}`;
      await copyFile(path.join(logged.path, file), at(`${to}/00000099.${ending}`));
    }
  }

  for (const way of ways) {
    const unknown = 'project_id=project/00000099.parquet';

    it(`with a file in segments/unpublished that is ${way}: nothing is different`, async () => {
      await copyOf(logged);
      await writeUnknown('segments/unpublished/project_id=project');
      await damage(at(`segments/unpublished/${unknown}`), way, at('meta.duckdb'));
      await expectNothingDifferent();
      expect(await readdir(at('segments'))).not.to.include('unpublished');
    });

    it(`with a file in segments/set-aside that is ${way}: nothing is different, and it stays`, async () => {
      await copyOf(logged);
      await writeUnknown('segments/set-aside/before/project_id=project');
      await damage(at(`segments/set-aside/before/${unknown}`), way, at('meta.duckdb'));
      const before = await filesIn(at('segments/set-aside'));
      await expectNothingDifferent();
      expect(await filesIn(at('segments/set-aside'))).to.deep.equal(before);
    });
  }

  it('with foreign files: nothing is different, and those in segments are set aside and named', async () => {
    await copyOf(logged);
    const foreign = ['segments/notes.txt', `${project}/notes.txt`, `${project}/00000099.parquet`];
    for (const name of ['notes.txt', 'tmp/notes.txt', ...foreign])
      await writeFile(at(name), `foreign ${name}`);
    const moved: MovedFile[] = [];
    const after = await readAll(directory, logged, (each) => moved.push(each));
    expect(countNamed(after, logged, 0)).to.deep.equal([]);
    expect(moved.map(({ file }) => file)).to.have.members(foreign);
    for (const { file, to } of moved)
      expect(await readFile(at(to), 'utf8')).to.equal(`foreign ${file}`);
    expect(await readFile(at('notes.txt'), 'utf8')).to.equal('foreign notes.txt');
    expect(await publishedFiles(directory)).to.deep.equal(await publishedFiles(logged.path));
    expect(await checkStore(directory)).to.deep.equal([]);
  });

  it('without the directory tmp: nothing is different', async () => {
    await copyOf(logged);
    await rm(at('tmp'), { recursive: true });
    await expectNothingDifferent();
  });
});

describe('a data directory whose database log has projects and keys alone', () => {
  let base: string;
  let directory: string;

  before(async () => {
    base = await mkdtemp(path.join(tmpdir(), 'evalstore-'));
    const dir = path.join(base, 'killed');
    await (await startServer({ dir })).stop();
    const server = await startServer({ dir });
    const project = await server.request('POST', '/v1/project', { name: 'after' });
    const key = await server.request('POST', '/v1/api_key', { name: 'after' });
    expect([project.status, key.status]).to.deep.equal([200, 200]);
    await server.kill();
  });
  after(() => rm(base, { recursive: true, force: true }));

  beforeEach(async () => {
    directory = path.join(base, 'damaged');
    await rm(directory, { recursive: true, force: true });
    // A killed server leaves its socket, which cannot be copied.
    await cp(path.join(base, 'killed'), directory, {
      recursive: true,
      filter: (name) => !name.endsWith('.sock'),
    });
  });

  it('has them when nothing is lost', async () => {
    const server = await startServer({ dir: directory });
    for (const kind of ['project', 'api_key'])
      expect((await server.request('GET', `/v1/${kind}`)).text).to.include('"name":"after"');
    await server.stop();
  });

  for (const way of ways)
    it(`is refused when that log is ${way}, and nothing is changed`, async () => {
      const log = path.join(directory, 'meta.duckdb.wal');
      await damage(log, way, path.join(directory, 'meta.duckdb'));
      const { 'meta.duckdb.wal': _log, ...before } = await filesIn(directory);
      const { code, log: said } = await runToExit({ dir: directory });
      expect(code).to.equal(1);
      expect(said).to.match(/ it lacks the last \d+ of its transactions: put the latest /);
      const { 'meta.duckdb.wal': _left, ...after } = await filesIn(directory);
      expect(after).to.deep.equal(before);
    });
});
