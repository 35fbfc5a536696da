// A block of neighbouring rows of a segment, copied to a temporary file of lines. Single rows are read from it without the
// engine.
import { open, rm, type FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import type { Connection } from '../../duckdb/connection.js';
import { sql } from '../../duckdb/sql.js';
import { parseRowText, rowText, type SegmentRow } from './row-text.js';
import { readSegment } from './segment-table.js';

const newline = 10;
const chunkBytes = 2 ** 20;
/** Neighbouring rows are read at once up to this size. */
const runBytesMax = 16 * 2 ** 20;

export interface RowBlockSource {
  readonly segmentFile: string;
  readonly firstRow: number;
  readonly rows: number;
  /** The path of the file of lines. */
  readonly file: string;
}

export class RowBlock {
  readonly #file: string;
  readonly #handle: FileHandle;
  readonly #firstRow: number;
  /** The start of each line, and the end of the last one. */
  readonly #starts: readonly number[];
  /** The checksum of each line. A row whose line is damaged is read from the segment. */
  readonly #checksums: readonly number[];

  private constructor(
    file: string,
    handle: FileHandle,
    firstRow: number,
    { starts, checksums }: Lines,
  ) {
    this.#file = file;
    this.#handle = handle;
    this.#firstRow = firstRow;
    this.#starts = starts;
    this.#checksums = checksums;
  }

  /** Copies the rows to a new file. When it rejects, there is no file. */
  static async write(connection: Connection, source: RowBlockSource): Promise<RowBlock> {
    const { file, firstRow } = source;
    let handle: FileHandle | undefined;
    try {
      await copyLines(connection, source);
      handle = await open(file, 'r');
      return new RowBlock(file, handle, firstRow, await readLines(handle));
    } catch (error) {
      await handle?.close();
      await rm(file, { force: true });
      throw error;
    }
  }

  get bytes(): number {
    return this.#starts.at(-1)!;
  }

  /** The size of a row; 0 if it is not there. */
  bytesOf(row: number): number {
    const line = row - this.#firstRow;
    const end = this.#starts[line + 1];
    return end === undefined ? 0 : end - this.#starts[line]!;
  }

  /** Reads the rows, neighbouring ones at once. */
  async read(rowNumbers: readonly number[]): Promise<readonly SegmentRow[]> {
    const runs = runsOf(rowNumbers, (row) => this.bytesOf(row));
    const read = await Promise.all(runs.map((run) => this.#readRun(run)));
    return read.flat();
  }

  /** Removes the file. Running reads complete. */
  async remove(): Promise<void> {
    await rm(this.#file, { force: true });
    await this.#handle.close();
  }

  async #readRun({ first, count }: Run): Promise<readonly SegmentRow[]> {
    const lines = this.#starts.slice(first - this.#firstRow, first - this.#firstRow + count + 1);
    const start = lines[0] ?? 0;
    const length = (lines.at(-1) ?? 0) - start;
    const { buffer } = await this.#handle.read(Buffer.alloc(length), { position: start });
    return Array.from({ length: count }, (_, index) =>
      this.#parse(first + index, buffer.subarray(lines[index]! - start, lines[index + 1]! - start)),
    );
  }

  #parse(row: number, line: Buffer): SegmentRow {
    if (crc32(line) !== this.#checksums[row - this.#firstRow])
      throw new Error(`row ${row} of ${this.#file} changed`);
    const found = parseRowText(line.toString('utf8', 0, line.length - 1));
    if (found.row !== row) throw new Error(`expected row ${row} of ${this.#file}`);
    return found;
  }
}

interface Run {
  readonly first: number;
  count: number;
  bytes: number;
}

const isNext = ({ first, count }: Run, row: number): boolean => first + count === row;

/** Divides the numbers into runs of consecutive ones. */
function runsOf(rowNumbers: readonly number[], bytesOf: (row: number) => number): readonly Run[] {
  const runs: Run[] = [];
  for (const row of rowNumbers.toSorted((a, b) => a - b)) {
    const last = runs.at(-1);
    const bytes = bytesOf(row);
    if (last !== undefined && isNext(last, row) && last.bytes + bytes <= runBytesMax) {
      last.count += 1;
      last.bytes += bytes;
    } else runs.push({ first: row, count: 1, bytes });
  }
  return runs;
}

// As BLOB: the engine searches text for characters to quote in CSV, which takes as long as reading the rows.
const copyLines = (
  connection: Connection,
  { segmentFile, firstRow, rows, file }: RowBlockSource,
): Promise<void> =>
  connection.run(sql`
    COPY (
      SELECT encode(${rowText} || chr(10))
      FROM ${readSegment(segmentFile)}
      WHERE _row BETWEEN ${BigInt(firstRow)} AND ${BigInt(firstRow + rows - 1)}
    ) TO ${file} (FORMAT blob)`);

interface Lines {
  readonly starts: readonly number[];
  /** Of each line with its line break. */
  readonly checksums: readonly number[];
}

async function readLines(handle: FileHandle): Promise<Lines> {
  const starts = [0];
  const checksums: number[] = [];
  const chunk = Buffer.alloc(chunkBytes);
  // The checksum of the unfinished line at the end of the previous chunk.
  let unfinished = 0;
  for (let position = 0; ;) {
    const { bytesRead } = await handle.read(chunk, { position });
    if (bytesRead === 0) return { starts, checksums };
    const filled = chunk.subarray(0, bytesRead);
    let from = 0;
    for (let at = filled.indexOf(newline); at !== -1; at = filled.indexOf(newline, from)) {
      checksums.push(crc32(filled.subarray(from, at + 1), unfinished));
      unfinished = 0;
      from = at + 1;
      starts.push(position + from);
    }
    unfinished = crc32(filled.subarray(from), unfinished);
    position += bytesRead;
  }
}
