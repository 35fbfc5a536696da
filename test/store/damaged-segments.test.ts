// What is said of a segment whose files are missing, cut off or scrambled.
import { expect } from 'chai';
import { readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { EngineError } from '../../src/duckdb/engine-error.js';
import { sql } from '../../src/duckdb/sql.js';
import { findDamagedSegment } from '../../src/store/segment/damaged-segment.js';
import { allRows, rowsOf, storeIn } from '../support/open-store.js';
import { rejection } from '../support/rejection.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const footerLengthAt = 8;
const magicBytes = 4;

/** Changes every byte between the magic bytes and the footer from `share` of them on. */
async function scramble(file: string, share: number): Promise<void> {
  const bytes = await readFile(file);
  const footer = bytes.length - footerLengthAt - bytes.readUInt32LE(bytes.length - footerLengthAt);
  for (let at = magicBytes + Math.floor(footer * share); at < footer; at++) bytes[at]! ^= 0x5a;
  await writeFile(file, bytes);
}

describe('segments that are damaged or missing', () => {
  const directory = temporaryDirectory();
  const opened = storeIn(directory, {
    flushRows: 1_000_000,
    segments: { narrowRowsMin: 1 },
  });
  let file: string;
  let complaint: object;

  beforeEach(async () => {
    await opened().insert(
      'e',
      ...Array.from({ length: 300 }, (_, n) => ({ id: `${n}`, input: n })),
    );
    await opened().store.flush();
    const segments = path.join(directory(), 'segments');
    const names = await readdir(segments, { recursive: true });
    const name = names.find((each) => /\d+\.parquet$/.test(each))!;
    file = path.join(segments, name);
    const segment = name.replace('.parquet', '');
    complaint = { status: 503, message: `the segment ${segment} is missing or damaged` };
    await opened().insert('other', { id: 'x' });
    await opened().store.flush();
  });

  const damages: Readonly<Record<string, () => Promise<void>>> = {
    'cut off': () => truncate(file, 100),
    missing: () => rm(file),
    'scrambled everywhere': () => scramble(file, 0),
    'scrambled in one half': () => scramble(file, 0.5),
  };

  async function stream(objectId: string): Promise<unknown> {
    const snapshot = await opened().store.snapshot();
    try {
      return await allRows(snapshot, sql`SELECT * FROM ${rowsOf(snapshot, objectId)}`);
    } finally {
      await snapshot.release();
    }
  }

  async function materialize(objectId: string): Promise<void> {
    const snapshot = await opened().store.snapshot();
    try {
      const query = sql`SELECT id, input, _xact_id FROM ${rowsOf(snapshot, objectId)}`;
      const result = await snapshot.materialize([() => query], { queue: 'heavy' });
      await result.close();
    } finally {
      await snapshot.release();
    }
  }

  for (const [title, damage] of Object.entries(damages))
    it(`are named when they are ${title}, and other objects stay readable`, async () => {
      await damage();
      expect(await rejection(stream('e'))).to.include(complaint);
      expect(await rejection(materialize('e'))).to.include(complaint);
      const merge = opened().insert('e', { id: '7', _is_merge: true, input: 1 });
      expect(await rejection(merge)).to.include(complaint);
      expect(await opened().live('other')).to.deep.equal({ x: null });
    });

  it('are named when their narrow file is missing', async () => {
    await rm(file.replace('.parquet', '.narrow'));
    const snapshot = await opened().store.snapshot();
    const [branch] = snapshot.live(['e']).branches;
    const reading = allRows(snapshot, sql`SELECT id FROM ${branch!.parts!.narrow}`);
    expect(await rejection(reading)).to.include(complaint);
    await snapshot.release();
    expect(Object.keys(await opened().live('e'))).to.have.lengthOf(300);
  });

  it('are not named for an error that comes from a shortage', async () => {
    for (const [reason, isDamage] of [
      ['No such file or directory', true],
      ['Too many open files', false],
      ['Cannot allocate memory', false],
    ] as const) {
      const error = new EngineError('storage', `IO Error: Cannot open file "${file}": ${reason}`);
      const found = await findDamagedSegment(error, sql`SELECT 1`, () => Promise.resolve([]));
      expect(found !== null, reason).to.equal(isDamage);
      const undecodable = new EngineError('other', 'Invalid Error: pages');
      const statement = sql`SELECT * FROM ${file}`;
      const named = await findDamagedSegment(undecodable, statement, () =>
        Promise.reject(error),
      ).catch((thrown: unknown) => thrown);
      if (isDamage) expect(named).to.equal(found);
      else expect(named).to.equal(error);
    }
  });
});
