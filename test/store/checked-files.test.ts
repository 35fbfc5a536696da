// Files of segments are what was written, or they are named: found before their first use, by a verification, and when they change.
import { expect } from 'chai';
import { execFileSync } from 'node:child_process';
import { copyFile, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { sql } from '../../src/duckdb/sql.js';
import { CheckedFiles, type Damage } from '../../src/store/segment/checked-files.js';
import { whileOpenFails } from '../support/failing-files.js';
import { allRows, openStore, rowsOf, type TestStore } from '../support/open-store.js';
import { rejection } from '../support/rejection.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { waitUntil } from '../support/wait-until.js';

type Options = NonNullable<Parameters<typeof openStore>[1]>;

const never = 2 ** 31 - 1;
/** A verification of so few bytes a second is not done in the time of a test. */
const noVerification = { bytesPerSecond: 1, everyMs: never };

const check = Reflect.get<CheckedFiles, 'check'>(CheckedFiles.prototype, 'check');

const inData = (name: string) => `segments/project_id=project/${name}`;
const complaint = (segment: string) => ({
  status: 503,
  message: `the segment project_id=project/${segment} is missing or damaged`,
});

describe('the files of segments', () => {
  const directory = temporaryDirectory();
  let opened: TestStore;
  let damages: Damage[];

  async function open({ hooks, ...options }: Options = {}): Promise<void> {
    opened = await openStore(directory(), {
      flushRows: 1_000_000,
      segments: { narrowRowsMin: 1 },
      verification: noVerification,
      hooks: { ...hooks, damaged: (damage) => damages.push(damage) },
      ...options,
    });
  }

  const file = (name: string) => path.join(directory(), 'segments', 'project_id=project', name);
  const rowFiles = async () =>
    (await readdir(file('.'))).filter((name) => /\d\.parquet$/.test(name));
  async function flip(name: string, at = 0.5): Promise<void> {
    const bytes = await readFile(file(name));
    bytes[Math.floor(bytes.length * at)]! ^= 0x10;
    await writeFile(file(name), bytes);
  }

  const insertRows = (objectId: string, rows = 40) =>
    opened.insert(
      objectId,
      ...Array.from({ length: rows }, (_, n) => ({ id: `${n}`, input: `${objectId} ${n}` })),
    );

  /** Segments 3, 5 and 7, one for each object. */
  beforeEach(async () => {
    damages = [];
    await open();
    for (const objectId of ['a', 'b', 'c']) {
      await insertRows(objectId);
      await opened.store.flush();
    }
    await opened.close();
    expect(await rowFiles()).to.deep.equal([
      '00000003.parquet',
      '00000005.parquet',
      '00000007.parquet',
    ]);
  });
  afterEach(() => {
    CheckedFiles.prototype.check = check;
    return opened.close();
  });

  it('are refused from the first read on when a bit was flipped, and named in the log once', async () => {
    await flip('00000005.parquet');
    await open();
    for (let round = 0; round < 2; round++) {
      expect(await rejection(opened.live('b'))).to.include(complaint('00000005'));
      const merge = opened.insert('b', { id: '7', _is_merge: true, input: 1 });
      expect(await rejection(merge)).to.include(complaint('00000005'));
    }
    expect(Object.keys(await opened.live('a'))).to.have.lengthOf(40);
    expect(damages).to.deep.equal([
      {
        file: inData('00000005.parquet'),
        problem: 'its checksum is not that of what was written',
      },
    ]);
  });

  for (const [what, replace] of Object.entries({
    'another segment': (target: string) => copyFile(file('00000003.parquet'), target),
    'a pipe': (target: string) => rm(target).then(() => execFileSync('mkfifo', [target])),
  }))
    it(`are refused when ${what} has taken their place, and read again when they are back`, async () => {
      const kept = await readFile(file('00000005.parquet'));
      await replace(file('00000005.parquet'));
      await open();
      expect(await rejection(opened.live('b'))).to.include(complaint('00000005'));
      await rm(file('00000005.parquet'));
      await writeFile(file('00000005.parquet'), kept);
      expect(Object.keys(await opened.live('b'))).to.have.lengthOf(40);
    });

  it('are refused when they change while the server runs, also when they were read before', async () => {
    await open();
    const before = await opened.live('c');
    const sound = await readFile(file('00000007.parquet'));
    for (let part = 0.02; part < 1; part += 0.07) {
      await flip('00000007.parquet', part);
      expect(await rejection(opened.live('c'))).to.include(complaint('00000007'));
      await writeFile(file('00000007.parquet'), sound);
      expect(await opened.live('c')).to.deep.equal(before);
    }
  });

  it('are found by a verification that nobody asks for, and again by the next one', async () => {
    await flip('00000003.idx');
    await open({ verification: { everyMs: 20 } });
    await waitUntil('the damage of before', () => damages.length === 1);
    expect(damages[0]?.file).to.equal(inData('00000003.idx'));
    await flip('00000007.narrow');
    await waitUntil('the damage of now', () => damages.length === 2);
    expect(damages[1]?.file).to.equal(inData('00000007.narrow'));
  });

  for (const [what, queryTimeoutMs] of Object.entries({ left: 20_000, 'late by its budget': 1 }))
    it(`do not hold the turn of a read that is ${what} while they are checked`, async () => {
      await open({ queryConcurrency: 1, queryTimeoutMs });
      const snapshot = await opened.store.snapshot();
      const caller = new AbortController();
      const ends: (() => void)[] = [];
      CheckedFiles.prototype.check = () => {
        if (what === 'left') caller.abort(new Error('left'));
        return new Promise((resolve) => ends.push(resolve));
      };
      const read = async (signal?: AbortSignal) => {
        const options = { queue: 'heavy', ...(signal && { signal }) } as const;
        await (await snapshot.materialize([() => sql`SELECT 1 AS a`], options)).close();
      };
      expect((await rejection(read(caller.signal))).message).to.match(
        /^left$|still being fetched or verified, try again later/,
      );
      CheckedFiles.prototype.check = check;
      // With so small a budget, this one exceeds it, too.
      await read().catch(() => {});
      for (const end of ends) end();
      await snapshot.release();
    });

  it('are compared by their sizes at the start, before a slow verification reads them', async () => {
    await writeFile(file('00000003.narrow'), 'x');
    await rm(file('00000005.ids'));
    await open();
    await waitUntil('both damages', () => damages.length === 2);
    expect(damages).to.have.deep.members([
      { file: inData('00000005.ids'), problem: 'it is missing' },
      {
        file: inData('00000003.narrow'),
        problem: damages.find(({ file: name }) => name.endsWith('narrow'))!.problem,
      },
    ]);
    expect(damages.map(({ problem }) => problem).join()).to.match(/it has 1 bytes instead of \d+/);
  });

  it('that a verification reads slowly do not delay the end of the store', async () => {
    await open();
    let ended = false;
    const closed = opened.close().then(() => (ended = true));
    // At a byte a second the first file alone would take hours.
    await waitUntil('the end of the store', () => ended);
    await closed;
    expect(damages).to.deep.equal([]);
  });

  it('that are damaged are merged with no other, which are merged without them', async () => {
    await flip('00000003.parquet');
    const failures: unknown[] = [];
    await open({ compaction: { fanOut: 2 }, hooks: { failed: (error) => failures.push(error) } });
    await opened.store.flush();
    const names = await rowFiles();
    expect(names).to.have.lengthOf(2);
    expect(names[0]).to.equal('00000003.parquet');
    expect(damages.map((damage) => damage.file)).to.deep.equal([inData('00000003.parquet')]);
    expect(failures).to.deep.equal([]);
    expect(Object.keys(await opened.live('b'))).to.have.lengthOf(40);
    expect(await rejection(opened.live('a'))).to.include(complaint('00000003'));
  });

  it('that say which ids there are: are made again from the index, which is refused when it is damaged', async () => {
    await flip('00000003.ids');
    await open();
    await opened.insert('a', { id: '7', _is_merge: true, metadata: { merged: true } });
    const rows = await opened.live('a');
    expect(Object.keys(rows)).to.have.lengthOf(40);
    expect(rows['7']).to.equal('a 7');
    await opened.close();
    await flip('00000003.ids', 0.2);
    await flip('00000003.idx');
    await open();
    const merge = opened.insert('a', { id: '8', _is_merge: true, metadata: { merged: true } });
    expect(await rejection(merge)).to.include(complaint('00000003'));
    expect(await opened.live('a')).to.deep.equal(rows);
  });

  it('of superseded rows are written anew at the start when they are damaged', async () => {
    await open();
    await opened.insert('a', { id: '7', input: 'new' });
    await opened.close();
    const sound = await readFile(file('superseded.parquet'));
    const rows = async () => {
      const found = await opened.writer
        .read(sql`SELECT file, _row FROM read_parquet(${file('superseded.parquet')})`)
        .catch(() => null);
      return JSON.stringify(found);
    };
    await open();
    const wanted = await rows();
    expect(wanted).to.match(/^\[\{"file":"00000003.parquet","_row":\d+\}\]$/);
    await opened.close();
    for (let at = 0; at < sound.length; at += 101) {
      const bytes = Buffer.from(sound);
      bytes[at]! ^= 1 << (at % 8);
      await writeFile(file('superseded.parquet'), bytes);
      await open();
      await opened.store.flush();
      expect(await rows(), `byte ${at}`).to.equal(wanted);
      await opened.close();
    }
    await writeFile(file('superseded.parquet'), await readFile(file('00000005.parquet')));
    await open();
    await opened.store.flush();
    expect(await rows()).to.equal(wanted);
  });

  for (const code of ['EMFILE', 'ENFILE', 'ENOMEM'])
    it(`are not damaged when they cannot be opened for ${code}`, async () => {
      await writeFile(file('00000007.narrow'), 'x');
      const failures: unknown[] = [];
      const failed = (error: unknown) => failures.push((error as { code?: unknown }).code);
      await whileOpenFails(/segments/, code, async () => {
        await open({ hooks: { failed }, verification: { everyMs: 20 } });
        expect(await rejection(opened.live('a'))).to.have.property('code', code);
        await waitUntil('two failed verifications', () => failures.length > 2 * 3);
      });
      expect(new Set(failures)).to.deep.equal(new Set([code]));
      expect(Object.keys(await opened.live('a'))).to.have.lengthOf(40);
      await waitUntil('the damage', () => damages.length > 0);
      expect(damages.map((damage) => damage.file)).to.deep.equal([inData('00000007.narrow')]);
    });

  it('are merged later when they cannot be opened before', async () => {
    const failures: unknown[] = [];
    await whileOpenFails(/segments/, 'EMFILE', async () => {
      const hooks = { failed: (error: unknown) => failures.push(error) };
      await open({ compaction: { fanOut: 2 }, hooks });
      // The verification fails for each of the three segments.
      await waitUntil('the failed merge', () => failures.length > 3);
      for (const failure of failures) expect(failure).to.have.property('code', 'EMFILE');
    });
    await opened.store.flush();
    await waitUntil('the merge', async () => (await rowFiles()).length === 1);
    expect(damages).to.deep.equal([]);
  });

  it('of which many are read by one statement are all checked', async () => {
    await flip('00000007.parquet');
    await open();
    const snapshot = await opened.store.snapshot();
    const reading = allRows(snapshot, sql`SELECT id FROM ${rowsOf(snapshot, ['a', 'b', 'c'])}`);
    expect(await rejection(reading)).to.include(complaint('00000007'));
    await snapshot.release();
  });
});
