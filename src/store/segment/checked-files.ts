// Verifies the checksum of each segment file before its first use in this process, and again when the file system reports a
// change. A damaged file is refused until it changes again, so that no statement reads it.
import { statSync } from 'node:fs';
import PQueue from 'p-queue';
import { EngineError, isEngineError } from '../../duckdb/engine-error.js';
import type { Row } from '../../duckdb/rows.js';
import type { Sql } from '../../duckdb/sql.js';
import { engineFailed, FetchLimitError, shortageIn } from '../../errors.js';
import { damagedSegmentError, findDamagedSegment, segmentNameOf } from './damaged-segment.js';
import { checksumOf, type FileChecksum } from './file-checksum.js';
import { missing, sizeOf, sizeText, stateOf } from './file-state.js';
import type { Segment } from './segment.js';
import type { SegmentFiles, SegmentName } from './segment-files.js';
import type { FileKind } from './segment.js';

/** A file that is missing or damaged. */
export interface Damage {
  /** The path relative to the data directory. */
  readonly file: string;
  /** A clause that describes the damage. */
  readonly problem: string;
}

export interface CheckedFile {
  readonly segment: SegmentName;
  readonly kind: FileKind;
  readonly path: string;
}

/** Where files are that are not on the disk any more. */
export interface EvictedFiles {
  /** The most that one query may bring back, in bytes. */
  readonly queryBytesMax: number;
  /** Whether the file has a copy, and so may be missing on the disk. */
  has(file: CheckedFile): boolean;
  /**
   * Writes the file again.
   * @returns a clause that describes the damage of the copy; null if the file is there and right
   * @throws RequestError 503 if it cannot be read or written now
   */
  bring(file: CheckedFile, expected: FileChecksum): Promise<string | null>;
  /** A part of the file, not verified. @throws RequestError 503 */
  part(file: CheckedFile, start: number, end: number): Promise<Buffer>;
}

/** What a query has brought back so far, in bytes. */
export interface Brought {
  bytes: number;
}

interface Known extends CheckedFile {
  /** Null if the manifest has no checksum of the file. */
  readonly expected: FileChecksum | null;
  /** When a statement needed it last, by `performance.now()`. */
  used: number;
  /** How many need it to stay on the disk. */
  held: number;
  /** The inode, size and times of the file when it was checked; null before that. */
  state: string | null;
  problem: string | null;
  checking: Promise<unknown> | undefined;
}

/** The number of concurrent checks of files that statements need. */
const checksAtOnce = 4;

type Pause = (bytes: number) => Promise<void> | void;

export class CheckedFiles {
  readonly #files: SegmentFiles;
  readonly #damaged: (damage: Damage) => void;
  readonly #known = new Map<string, Known>();
  readonly #queue = new PQueue({ concurrency: checksAtOnce });
  readonly #complaints = new Set<string>();
  #evicted: EvictedFiles | null = null;
  #closed = false;

  /** `damaged` is called once for each file that is found damaged. */
  constructor(files: SegmentFiles, damaged: (damage: Damage) => void) {
    this.#files = files;
    this.#damaged = damaged;
  }

  /** From now on, files with a copy may be missing. */
  useCopies(evicted: EvictedFiles): void {
    this.#evicted = evicted;
  }

  /** Registers the files of segments. `written` means that their checksums were computed just now. */
  add(segments: readonly Segment[], written: 'written' | 'before'): void {
    for (const segment of segments)
      for (const { kind, file } of this.#files.of(segment))
        this.#known.set(file, {
          segment,
          kind,
          path: file,
          expected: expectedOf(segment, kind),
          used: performance.now(),
          held: 0,
          state: written === 'written' ? stateOf(file) : null,
          problem: null,
          checking: undefined,
        });
  }

  /** Unregisters the files of a segment, before they are removed. */
  forget({ source }: SegmentName): void {
    for (const { segment, path } of this.#known.values())
      if (segment.source === source) this.#known.delete(path);
  }

  /**
   * Checks the files that the statement reads, and brings missing ones back.
   * @throws RequestError 503 that names a segment with a damaged file, 400 if a query would bring back too much; the file system's error
   * if it is out of open files or memory
   */
  async check(statement: Sql, brought?: Brought): Promise<void> {
    const files = this.#filesIn(statement);
    if (brought !== undefined) this.#limit(files, brought);
    await this.#check(files);
  }

  /** As `check`, for files. */
  async checkFiles(paths: readonly string[]): Promise<void> {
    await this.#check(paths.flatMap((path) => this.#known.get(path) ?? []));
  }

  /** Whether the file is not on the disk, but has a copy. */
  isEvicted(path: string): boolean {
    const known = this.#known.get(path);
    return known !== undefined && this.#isEvicted(known);
  }

  /** A part of an evicted file, not verified. */
  part(path: string, start: number, end: number): Promise<Buffer> {
    return this.#evicted!.part(this.#known.get(path)!, start, end);
  }

  /** Brings back the files that were evicted, and keeps all files on the disk until `work` ends. */
  async holding<T>(paths: readonly string[], work: () => Promise<T>): Promise<T> {
    const files = paths.flatMap((path) => this.#known.get(path) ?? []);
    for (const file of files) file.held += 1;
    try {
      await this.#check(files.filter((file) => this.#isEvicted(file)));
      return await work();
    } finally {
      for (const file of files) file.held -= 1;
    }
  }

  /** When the file was needed last; `Infinity` while it is held. */
  usedAt({ path }: CheckedFile): number {
    const known = this.#known.get(path);
    return known === undefined || known.held > 0 || known.checking !== undefined
      ? Infinity
      : known.used;
  }

  /**
   * Maps an engine error of `statement` to one that names the damaged segment, if there is one; otherwise a fatal one to 503. `read`
   * runs another statement.
   */
  async toReadError(
    error: unknown,
    statement: Sql,
    read: (query: Sql) => Promise<readonly Row[]>,
  ): Promise<unknown> {
    const segment = await findDamagedSegment(error, statement, read);
    if (segment === null) return isEngineError(error, 'fatal') ? engineFailed(error) : error;
    if (!this.#complaints.has(segment)) {
      this.#complaints.add(segment);
      this.#damaged({ file: `segments/${segment}`, problem: 'a file of it cannot be read' });
    }
    return damagedSegmentError(segment);
  }

  /** The sources whose file of rows is known to be damaged. */
  get damagedSources(): ReadonlySet<number> {
    const damaged = [...this.#known.values()].filter(
      ({ kind, problem }) => kind === 'parquet' && problem !== null,
    );
    return new Set(damaged.map(({ segment }) => segment.source));
  }

  /** All files, those of the newest segments first. */
  all(): readonly CheckedFile[] {
    return [...this.#known.values()].sort((a, b) => b.segment.source - a.segment.source);
  }

  /** Whether the file belongs to a segment that is not removed. */
  isKnown({ path }: CheckedFile): boolean {
    return this.#known.has(path);
  }

  /** Whether the file was checked and did not change since. */
  isChecked({ path }: CheckedFile): boolean {
    const known = this.#known.get(path);
    return known === undefined || isCurrent(known) || this.#isEvicted(known);
  }

  /** Whether the file is missing or has another size than was recorded. Does not read the file. */
  isGoneOrResized({ path }: CheckedFile): boolean {
    const known = this.#known.get(path);
    if (known === undefined || this.#isEvicted(known)) return false;
    const bytes = sizeOf(path);
    return bytes === null || bytes !== (known.expected?.bytes ?? bytes);
  }

  /**
   * Reads the file, whether it was checked or not, and waits for `pause` after each chunk.
   * @returns its checksum; null if it is missing or damaged
   * @throws as `check` without damage
   */
  async recheck({ path }: CheckedFile, pause?: Pause): Promise<FileChecksum | null> {
    const known = this.#known.get(path);
    return known === undefined || this.#isEvicted(known) ? null : this.#read(known, pause);
  }

  /** Stops running checks and refuses further ones. */
  close(): void {
    this.#closed = true;
  }

  /** The number of times that the statement names one of the files. */
  countOf(statement: Sql): number {
    return this.#named(statement).length;
  }

  #filesIn(statement: Sql): readonly Known[] {
    return [...new Set(this.#named(statement))];
  }

  #named({ parts }: Sql): readonly Known[] {
    const found: Known[] = [];
    for (const part of parts) {
      if (typeof part === 'string') continue;
      for (const value of Array.isArray(part.value) ? part.value : [part.value]) {
        const known = typeof value === 'string' ? this.#known.get(value) : undefined;
        if (known !== undefined) found.push(known);
      }
    }
    return found;
  }

  #isEvicted(file: Known): boolean {
    return this.#evicted !== null && stateOf(file.path) === missing && this.#evicted.has(file);
  }

  /** Before anything is brought back. */
  #limit(files: readonly Known[], brought: Brought): void {
    if (this.#evicted === null) return;
    const evicted = files.filter((file) => this.#isEvicted(file));
    brought.bytes += evicted.reduce((sum, { expected }) => sum + (expected?.bytes ?? 0), 0);
    if (brought.bytes > this.#evicted.queryBytesMax)
      throw new FetchLimitError(
        `the query reads ${sizeText(brought.bytes)} that are only in the bucket (EVALSTORE_FETCH_GB): narrow it with a filter on created`,
      );
  }

  async #check(files: readonly Known[]): Promise<void> {
    const now = performance.now();
    for (const file of files) file.used = now;
    const changed = files.filter((file) => !isCurrent(file));
    await Promise.all(changed.map((file) => this.#checked(file)));
    const damaged = files.find(({ problem }) => problem !== null);
    if (damaged !== undefined) throw damagedSegmentError(segmentNameOf(damaged.path));
  }

  async #checked(file: Known): Promise<void> {
    file.checking ??= this.#isEvicted(file)
      ? this.#bring(file)
      : this.#queue.add(() => this.#read(file));
    try {
      await file.checking;
    } finally {
      file.checking = undefined;
    }
  }

  /** What comes back was verified on the way. */
  async #bring(file: Known): Promise<void> {
    const problem = await this.#evicted!.bring(file, file.expected!);
    const before = file.problem;
    file.problem = problem;
    // The next use asks for the copy again.
    file.state = problem === null ? stateOf(file.path) : null;
    if (problem !== null && before === null)
      this.#damaged({ file: this.#files.relative(file.path), problem });
  }

  async #read(file: Known, pause: Pause = () => {}): Promise<FileChecksum | null> {
    const state = stateOf(file.path);
    const found = await this.#compare(file, (bytes) => {
      this.#throwIfClosed();
      return pause(bytes);
    });
    // The segment may have been removed during the check.
    if (this.#known.get(file.path) !== file) return null;
    const before = file.problem;
    file.problem = found.problem;
    file.state = found.isLasting === false ? null : state;
    if (found.problem !== null && before === null)
      this.#damaged({ file: this.#files.relative(file.path), problem: found.problem });
    return found.problem === null ? found.checksum : null;
  }

  async #compare({ path, expected }: Known, pause: Pause): Promise<Comparison> {
    try {
      // Opening a pipe would not return before somebody writes to it.
      if (!statSync(path).isFile()) return { problem: 'it is not a regular file' };
      return compare(await checksumOf(path, pause), expected);
    } catch (error) {
      const { code, syscall } = error as NodeJS.ErrnoException;
      // The pause throws, too, when the store is closed.
      if (syscall === undefined || shortageIn(error) !== null) throw error;
      if (code === 'ENOENT') return { problem: 'it is missing' };
      return { problem: `it cannot be read: ${code}`, isLasting: false };
    }
  }

  #throwIfClosed(): void {
    if (this.#closed) throw new EngineError('interrupted', 'the store is closed');
  }
}

type Comparison =
  | { readonly problem: null; readonly checksum: FileChecksum; readonly isLasting?: undefined }
  /** With `isLasting` false, the next use checks the file again even if it did not change. */
  | { readonly problem: string; readonly isLasting?: false };

/** A clause that describes how the file differs from `expected`; null if it does not, or if nothing is expected. */
export function problemOf(found: FileChecksum, expected: FileChecksum | null): string | null {
  if (expected === null) return null;
  if (found.bytes !== expected.bytes)
    return `it has ${found.bytes} bytes instead of ${expected.bytes}`;
  return found.crc32 === expected.crc32 ? null : 'its checksum is not that of what was written';
}

function compare(found: FileChecksum, expected: FileChecksum | null): Comparison {
  const problem = problemOf(found, expected);
  return problem === null ? { problem, checksum: found } : { problem };
}

export const expectedOf = (
  { checksums }: Pick<Segment, 'checksums'>,
  kind: FileKind,
): FileChecksum | null => checksums[kind] ?? null;

const isCurrent = ({ path, state }: Known): boolean => state !== null && state === stateOf(path);
