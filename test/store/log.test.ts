// The log: what was acknowledged is there after any end of the process and any failure of the disk, what was not is there whole
// or not at all, and damage before acknowledged rows is never passed over.
import { open, readFile, stat, truncate, writeFile, type FileHandle } from 'node:fs/promises';
import { expect } from 'chai';
import * as fc from 'fast-check';
import type { UncommittedRow } from '../../src/schema/event-row.js';
import type { SyncPoint } from '../../src/store/file/sync-point.js';
import { EventLog, logFile } from '../../src/store/log/event-log.js';
import { FrameBuilder, headBytes } from '../../src/store/log/frame.js';
import { inspectLog } from '../../src/store/log/read-log.js';
import { appendRows } from '../../src/store/log/append-rows.js';
import { whileSyncFails, whileTruncateFails } from '../support/failing-files.js';
import { rowOfStrings } from '../support/json-strings.js';
import { oddCharacters } from '../support/odd-strings.js';
import { rowsOf } from '../support/open-segments.js';
import { rejection } from '../support/rejection.js';
import { newSeed } from '../support/seed.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const source = 7;

const rowOf = (id: string, input: string): UncommittedRow =>
  rowsOf('e', JSON.stringify([{ id, input, tags: [id, ''], created: '1969-01-01T00:00:00Z' }]))[0]!;

const oddString = fc
  .array(fc.constantFrom(...oddCharacters, 'plain ', '{"'))
  .map((all) => all.join(''));

const ids = (...names: readonly string[]) => names.flatMap((name) => [`${name} a`, `${name} b`]);

describe('the log', () => {
  const directory = temporaryDirectory();
  let failing: { readonly step: SyncPoint; readonly error: Error } | null = null;
  const reached = (step: SyncPoint) => {
    if (step === failing?.step) throw failing.error;
  };
  const file = () => logFile(directory(), source);
  const sizeOf = async () => (await stat(file())).size;

  async function create(): Promise<EventLog> {
    failing = null;
    const log = await EventLog.open(directory(), reached);
    await log.create(source);
    return log;
  }

  let rows = 0;
  /** Writes a frame of two rows. */
  async function write(log: EventLog, name: string): Promise<void> {
    const stored = ['a', 'b'].map((part) => rowOf(`${name} ${part}`, part.repeat(50)));
    const frame = stored.map((row, position) =>
      Object.assign({ _xact_id: BigInt(rows + position), _position: position }, row),
    );
    await appendRows(log, source, rows, frame);
    rows += stored.length;
  }
  beforeEach(() => (rows = 0));

  /** The ids that a start finds. */
  async function replayed(): Promise<readonly string[]> {
    const ids: string[] = [];
    const log = await EventLog.open(directory());
    try {
      await log.replay(source, ({ id }) => ids.push(id));
    } finally {
      await log.close();
    }
    return ids;
  }

  it('gives back every row as it was, at its place', async () => {
    const log = await create();
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.tuple(
            oddString.map((id) => `id ${id}`),
            oddString,
          ),
          { maxLength: 5 },
        ),
        async (texts) => {
          const stored = texts.map(([id, input]) => rowOf(id, input));
          const first = rows;
          const placed = stored.map((row, at) =>
            Object.assign({ _xact_id: BigInt(first), _position: at }, row),
          );
          await appendRows(log, source, first, placed);
          rows += stored.length;
          for (const [at, row] of placed.entries())
            expect(log.eventAt(source, first + at)).to.deep.equal(row);
        },
      ),
      { numRuns: 50, seed: newSeed() },
    );
    await log.close();
    expect((await inspectLog(file(), source)).rows).to.equal(rows);
  });

  it('has all frames but the last one, wherever that is cut off, and takes new ones after it', async () => {
    let log = await create();
    for (const name of ['1', '2']) await write(log, name);
    const kept = await sizeOf();
    await write(log, '3');
    await log.close();
    const whole = await readFile(file());
    for (let end = kept; end < whole.length; end += end < kept + headBytes + 3 ? 1 : 61) {
      await writeFile(file(), whole.subarray(0, end));
      expect(await replayed(), `${end}`).to.deep.equal(ids('1', '2'));
    }
    rows = 4;
    log = await EventLog.open(directory());
    await log.replay(source, () => {});
    await write(log, '4');
    await log.close();
    expect(await replayed()).to.deep.equal(ids('1', '2', '4'));
    expect(await inspectLog(file(), source)).to.deep.include({ rows: 6, damage: null });
  });

  it('has all frames but the last one when any bit of that is flipped', async () => {
    const log = await create();
    await write(log, '1');
    const kept = await sizeOf();
    await write(log, '2');
    await log.close();
    const whole = await readFile(file());
    for (let at = kept; at < whole.length; at += at < kept + headBytes ? 1 : 7) {
      const bytes = Buffer.from(whole);
      bytes[at]! ^= 1 << (at % 8);
      await writeFile(file(), bytes);
      expect(await replayed(), `byte ${at}`).to.deep.equal(ids('1'));
    }
  });

  it('refuses to go on when a frame before others is damaged, and says where', async () => {
    const log = await create();
    const starts: number[] = [];
    for (const name of ['1', '2', '3']) {
      starts.push(await sizeOf());
      await write(log, name);
    }
    await log.close();
    const whole = await readFile(file());
    for (let at = 0; at < starts[2]!; at += 5) {
      const bytes = Buffer.from(whole);
      bytes[at]! ^= 1 << (at % 8);
      await writeFile(file(), bytes);
      const start = starts.findLast((offset) => offset <= at);
      const { message } = await rejection(replayed());
      expect(message).to.equal(
        `the log 00000007.log is damaged at byte ${start}, before rows that were acknowledged: restore the data directory from a backup, or go on without what follows with "evalstore repair"`,
      );
      expect(await readFile(file())).to.deep.equal(bytes);
    }
  });

  it('does not take for a frame what a client sent, nor what another generation has', async () => {
    const log = await create();
    await write(log, '1');
    const builder = new FrameBuilder();
    builder.addRow(rowOf('forged', ''), { xactId: 9n, position: 0 });
    const forged = Buffer.concat(builder.finish(source, 2, 9n, [])).toString('latin1');
    const kept = await sizeOf();
    await appendRows(log, source, 2, [
      Object.assign({ _xact_id: 3n, _position: 0 }, rowOf('client', forged)),
    ]);
    await log.close();
    await truncate(file(), (await sizeOf()) - 1);
    expect(await replayed()).to.deep.equal(ids('1'));

    const others = new FrameBuilder();
    others.addRow(rowOf('other', ''), { xactId: 9n, position: 0 });
    const bytes = (await readFile(file())).subarray(0, kept);
    await writeFile(file(), Buffer.concat([bytes, ...others.finish(source + 1, 2, 9n, [])]));
    expect(await replayed()).to.deep.equal(ids('1'));
  });

  it('writes a frame of many pieces whole, though each write takes a part of it', async () => {
    const log = await create();
    const handle = await open(file(), 'r');
    const prototype = Object.getPrototypeOf(handle) as { writev: unknown };
    await handle.close();
    const original = prototype.writev as FileHandle['writev'];
    let writes = 0;
    prototype.writev = function writev(
      this: FileHandle,
      pieces: readonly Buffer[],
      position: number,
    ) {
      writes += 1;
      const [piece, ...others] = pieces;
      const part =
        writes % 2 === 0 ? [piece!, ...others.slice(0, 2)] : [piece!.subarray(0, 70_001)];
      return original.call(this, part, position);
    };
    const inputs = Array.from({ length: 300 }, (_, index) => `${index} `.repeat(index * 10));
    const stored = inputs.map((input, index) => rowOf(`${index}`, input));
    try {
      await appendRows(
        log,
        source,
        0,
        stored.map((row, at) => Object.assign({ _xact_id: 1n, _position: at }, row)),
      );
    } finally {
      prototype.writev = original;
    }
    expect(writes).to.be.above(2);
    for (const [at, row] of stored.entries())
      expect(rowOfStrings(log.rowAt(source, at))).to.deep.equal(row);
    await log.close();
    expect(await inspectLog(file(), source)).to.deep.include({ rows: 300, damage: null });
  });

  for (const code of ['ENOSPC', 'EIO'])
    it(`stores nothing of a frame that ends with ${code}, and takes the next one`, async () => {
      const log = await create();
      await write(log, '1');
      const kept = await sizeOf();
      failing = { step: 'log-written', error: Object.assign(new Error(code), { code }) };
      const refused = await rejection(write(log, '2'));
      expect(refused).to.include({
        status: 503,
        message: 'the storage is full or cannot be written, nothing was stored',
      });
      expect(await sizeOf()).to.equal(kept);
      failing = null;
      await write(log, '3');
      await log.close();
      expect(await replayed()).to.deep.equal(ids('1', '3'));
    });

  it('says that a frame may be there when it can be neither synced nor cut off, and cuts it off before the next', async () => {
    const log = await create();
    await write(log, '1');
    failing = { step: 'log-written', error: new Error('EIO') };
    await whileTruncateFails(async () => {
      const unknown = await rejection(write(log, '2'));
      expect(unknown).to.include({
        status: 503,
        message: 'the storage failed while the write was committed, it may or may not be stored',
      });
      failing = null;
      expect((await rejection(write(log, '3'))).message).to.equal(
        'the storage is full or cannot be written, nothing was stored',
      );
    });
    await write(log, '4');
    await log.close();
    expect(await replayed()).to.deep.equal(ids('1', '4'));
  });

  it('does not have a frame of unknown outcome when it is read again', async () => {
    const log = await create();
    await write(log, '1');
    failing = { step: 'log-written', error: new Error('EIO') };
    await whileTruncateFails(async () => {
      await rejection(write(log, '2'));
      failing = null;
      const found: string[] = [];
      await log.replay(source, ({ id }) => found.push(id));
      expect(found).to.deep.equal(ids('1'));
    });
    await write(log, '3');
    await log.close();
    expect(await replayed()).to.deep.equal(ids('1', '3'));
  });

  it('is synced before a start uses its rows, since the process may have ended before it synced them', async () => {
    const written = await create();
    await write(written, '1');
    await written.close();
    const log = await EventLog.open(directory());
    await whileSyncFails(async () => {
      const refused = await rejection(log.replay(source, () => {}));
      expect(refused.message).to.equal('EIO: i/o error, sync');
    });
    await log.replay(source, () => {});
    expect(log.eventAt(source, 1).id).to.equal('1 b');
    await log.close();
  });
});
