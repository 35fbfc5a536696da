// The write-ahead log of events, with one file per generation. A row is acknowledged when its frame is synced. A file
// exists from before the manifest lists its generation until after the manifest drops it.
import { mkdir, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { NewRow } from '../../event/row.js';
import type { EventRow } from '../../schema/event-row.js';
import { sync } from '../../durable-file.js';
import type { Supersession } from '../row/event-table.js';
import type { SyncPointHook } from '../file/sync-point.js';
import type { RowRange } from '../row/row-range.js';
import { headBytes, recordStarts, supersessionsOf, type FrameHead } from './frame.js';
import { LogFile } from './log-file.js';
import { readFrames } from './read-log.js';
import {
  readHead,
  readIds,
  readNewRow,
  readRow,
  recordBytes,
  recordHeadBytes,
  textRange,
  type RowPosition,
} from './record.js';
import { RowOffsets } from './row-offsets.js';
import type { RowsFileRequest } from './rows-file.js';

const fileDigits = 8;
const logName = /^(\d{8,9})\.log$/;

export const logDirectory = (dataDirectory: string): string => path.resolve(dataDirectory, 'log');

export const logFile = (directory: string, source: number): string =>
  path.join(directory, `${String(source).padStart(fileDigits, '0')}.log`);

/** The generations that have a file, ascending. */
export async function logsIn(directory: string): Promise<readonly number[]> {
  const names = await readdir(directory).catch(() => []);
  return names
    .flatMap((name) => logName.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);
}

/** A row of a log that is replayed. */
export interface ReplayedRow {
  readonly objectId: string;
  readonly id: string;
  readonly rootSpanId: string;
  readonly row: number;
  readonly deleted: boolean;
  readonly lossless: boolean;
  readonly bytes: number;
}

export interface Replayed {
  readonly lastXactId: bigint | null;
  readonly supersessions: readonly Supersession[];
}

/** The frame of a group of requests. */
export interface LoggedGroup {
  readonly source: number;
  /** The size of each row in bytes. */
  readonly rowBytes: readonly number[];
  /** The bytes of the frame, in pieces. */
  frame(): readonly Buffer[];
}

/** The size of the part of a log that is read at once. */
const blockBytes = 2 ** 16;

/** A row in its log, and its key in the page order. */
export interface PageOrderKey extends RowPosition {
  readonly source: number;
  readonly row: number;
  /** The bytes of the `root_span_id` as characters, whose order is that of the page. */
  readonly trace: string;
}

interface OpenLog {
  readonly file: LogFile;
  readonly rows: RowOffsets;
}

export class EventLog {
  readonly #directory: string;
  readonly #reached: SyncPointHook;
  readonly #logs = new Map<number, OpenLog>();

  private constructor(directory: string, reached: SyncPointHook) {
    this.#directory = directory;
    this.#reached = reached;
  }

  static async open(directory: string, reached: SyncPointHook = () => {}): Promise<EventLog> {
    await mkdir(directory, { recursive: true });
    await sync(path.dirname(directory));
    return new EventLog(directory, reached);
  }

  /** Creates the file of a new generation. */
  async create(source: number): Promise<void> {
    const file = await LogFile.create(this.fileOf(source), this.#reached);
    this.#logs.set(source, { file, rows: new RowOffsets() });
    await sync(this.#directory);
    await this.#reached('log-created');
  }

  /**
   * Opens the log of a listed generation and reads its rows. The former process may have ended before it synced the last frame, so
   * the file is synced: what depends on the rows must not be on disk without them. A log that is open already can be read meanwhile;
   * what a failed frame may have left behind its end is not read.
   * @throws DamagedLog, or an error of the file system
   */
  async replay(source: number, onRow: (row: ReplayedRow) => void): Promise<Replayed> {
    const name = this.fileOf(source);
    const rows = new RowOffsets();
    const supersessions: Supersession[] = [];
    let lastXactId: bigint | null = null;
    const before = this.#logs.get(source);
    const frames = readFrames(name, source, before === undefined ? {} : { to: before.file.end });
    let next = await frames.next();
    for (; next.done !== true; next = await frames.next()) {
      const { head, bytes, offset } = next.value;
      replayRows(head, bytes, offset, rows, onRow);
      for (const each of supersessionsOf(bytes, head)) supersessions.push(each);
      lastXactId = head.lastXactId;
      await this.#reached('frame-replayed');
    }
    if (lastXactId !== null) await sync(name);
    const file = await LogFile.open(name, next.value, this.#reached);
    this.#logs.set(source, { file, rows });
    await before?.file.close();
    return { lastXactId, supersessions };
  }

  /**
   * Stores the group durably.
   * @throws RequestError 503 if it cannot be stored, UnknownOutcomeError if the outcome is unknown
   */
  async commit(group: LoggedGroup): Promise<void> {
    const { file, rows } = this.#open(group.source);
    const frame = group.frame();
    const start = await file.append(frame);
    rows.addFrame(start);
    let offset = start + headBytes;
    for (const bytes of group.rowBytes) {
      rows.add(offset, bytes);
      offset += bytes;
    }
  }

  /**
   * Removes a frame of unknown outcome from the log of the generation, which gets no further rows.
   * @throws RequestError 503 if that fails
   */
  removeFailedFrame(source: number): Promise<void> {
    return this.#open(source).file.removeFailedFrame();
  }

  /** A row of a generation to merge into. */
  rowAt(source: number, row: number): NewRow {
    return readNewRow(this.#record(source, row), 0);
  }

  /** A row version of a generation. */
  eventAt(source: number, row: number): EventRow {
    return readRow(this.#record(source, row), 0);
  }

  /** The keys in the page order of rows of a generation, whose numbers descend: the log is read in blocks. */
  *pageOrderKeys(source: number, descending: Iterable<number>): Generator<PageOrderKey> {
    const { rows } = this.#open(source);
    let firstRow = Infinity;
    let block: Buffer = Buffer.alloc(0);
    for (const row of descending) {
      if (row < firstRow) ({ firstRow, block } = this.#blockUpTo(source, row));
      const start = rows.offset(row) - rows.offset(firstRow);
      const { from, to } = textRange(block, start, 'root_span_id');
      const { xactId, position } = readHead(block, start);
      yield { source, row, xactId, position, trace: block.toString('latin1', from, to) };
    }
  }

  /** The row and rows before it. */
  #blockUpTo(source: number, lastRow: number) {
    const { file, rows } = this.#open(source);
    const end = rows.offset(lastRow) + rows.bytes(lastRow);
    let firstRow = lastRow;
    while (firstRow > 0 && end - rows.offset(firstRow - 1) <= blockBytes) firstRow -= 1;
    const start = rows.offset(firstRow);
    return { firstRow, block: file.read(start, end - start) };
  }

  /** The transaction id of a row of a generation. */
  xactIdAt(source: number, row: number): bigint {
    const { file, rows } = this.#open(source);
    return readHead(file.read(rows.offset(row), recordHeadBytes), 0).xactId;
  }

  bytesOf(source: number, row: number): number {
    return this.#open(source).rows.bytes(row);
  }

  /** The size of rows in the log, with the heads of frames between them. */
  bytesOfRows(source: number, { firstRow, endRow }: RowRange): number {
    const { rows } = this.#open(source);
    return rows.offset(endRow - 1) + rows.bytes(endRow - 1) - rows.offset(firstRow);
  }

  /** The request for `writeRowsFile` to write these rows to `file`. */
  rowsRequest(
    source: number,
    { firstRow, endRow }: RowRange,
    file: string,
    superseded: RowsFileRequest['superseded'] = null,
  ): RowsFileRequest {
    const log = this.#open(source);
    return {
      log: log.file.path,
      source,
      from: log.rows.frameOf(firstRow),
      to: log.file.end,
      firstRow,
      endRow,
      file,
      superseded,
    };
  }

  /** The end of the last frame of a generation, in bytes. */
  endOf(source: number): number {
    return this.#open(source).file.end;
  }

  fileOf(source: number): string {
    return logFile(this.#directory, source);
  }

  /** The generations that have a file. */
  sources(): Promise<readonly number[]> {
    return logsIn(this.#directory);
  }

  /** Removes the files of generations that the manifest does not list. */
  async discard(sources: readonly number[]): Promise<void> {
    for (const source of sources) {
      await this.#close(source);
      await this.#reached('log-dropped');
      await rm(this.fileOf(source), { force: true });
      await this.#reached('log-removed');
    }
  }

  async close(): Promise<void> {
    for (const source of this.#logs.keys()) await this.#close(source);
  }

  #record(source: number, row: number): Buffer {
    const { file, rows } = this.#open(source);
    return file.read(rows.offset(row), rows.bytes(row));
  }

  #open(source: number): OpenLog {
    const log = this.#logs.get(source);
    if (log === undefined) throw new Error(`the log of generation ${source} is not open`);
    return log;
  }

  async #close(source: number): Promise<void> {
    const log = this.#logs.get(source);
    this.#logs.delete(source);
    await log?.file.close();
  }
}

function replayRows(
  head: FrameHead,
  frame: Buffer,
  offset: number,
  rows: RowOffsets,
  onRow: (row: ReplayedRow) => void,
): void {
  rows.addFrame(offset);
  for (const start of recordStarts(frame, head)) {
    const { objectId, id, rootSpanId } = readIds(frame, start);
    const { deleted, lossless } = readHead(frame, start);
    const bytes = recordBytes(frame, start);
    onRow({ objectId, id, rootSpanId, row: rows.count, deleted, lossless, bytes });
    rows.add(offset + start, bytes);
  }
}
