// The paths of segment files; no other module builds them. A segment is written below `unpublished` and renamed when it is
// complete. So a file outside of `unpublished` may have been published, and one inside never was. From before its first file is
// renamed until it is published, a segment has an empty file below `unpublished`, its mark.
import { mkdir, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { sync } from '../../durable-file.js';
import { listFiles } from './list-files.js';
import type { FileKind, Segment } from './segment.js';
import type { OrderedFiles } from './segment-order.js';

export type SegmentName = Pick<Segment, 'projectId' | 'source'>;

/** The row file is moved last: if it exists, the others do, too. */
const fileKinds: readonly FileKind[] = ['narrow', 'ended', 'idx', 'ids', 'parquet'];

const numberDigits = 8;

const projectDirectory = (projectId: string): string =>
  `project_id=${encodeURIComponent(projectId)}`;

const fileName = (source: number): string => String(source).padStart(numberDigits, '0');

/** Beside the directories of projects. */
const unpublished = 'unpublished';
const setAside = 'set-aside';
/** Some file systems have a directory of their own at the top. */
const notOurs = 'lost+found';
const besideProjects = [unpublished, setAside, notOurs];

const rowFile = /^project_id=([^/]+)\/(\d{8,9})\.parquet$/;
const markFile = /^unpublished\/project_id=([^/]+)\/(\d{8,9})\.moving$/;
const numberedFile = /^(\d{8,9})\./;
/** Unfinished files of `writeDurably`. */
const unfinishedFile = /^project_id=[^/]+\/(?:\d{8,9}\.\w+|superseded\.parquet)\.tmp$/;

/** Returns null for paths of another form. */
function nameOf(form: RegExp, file: string): SegmentName | null {
  const [, project, number] = form.exec(file) ?? [];
  if (project === undefined) return null;
  try {
    return { projectId: decodeURIComponent(project), source: Number(number) };
  } catch {
    return null;
  }
}

export class SegmentFiles {
  readonly #directory: string;

  /** `directory` is absolute. */
  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Where segments are written before they are published. */
  get unpublished(): SegmentFiles {
    return new SegmentFiles(path.join(this.#directory, unpublished));
  }

  /** The rows. */
  rows(segment: SegmentName): string {
    return this.#file(segment, 'parquet');
  }

  /** The narrow file, which lacks the rows of `supersededNarrow`. Not every segment has it. */
  narrow(segment: SegmentName): string {
    return this.#file(segment, 'narrow');
  }

  /** The narrow file of rows that were superseded when the segment was written. Not every segment has it. */
  supersededNarrow(segment: SegmentName): string {
    return this.#file(segment, 'ended');
  }

  /** The smallest files that have all rows, without their JSON text if there are narrow ones. */
  narrowest(segment: Segment): readonly string[] {
    const { rows, narrow } = this.ordered(segment);
    return narrow.length > 0 ? narrow : [rows];
  }

  /** The files whose rows are in the order of the segment. */
  ordered(segment: Segment): OrderedFiles {
    const narrow = [
      this.narrow(segment),
      ...(segment.hasSuperseded ? [this.supersededNarrow(segment)] : []),
    ];
    return { rows: this.rows(segment), narrow: segment.hasNarrow ? narrow : [] };
  }

  /** Row numbers by the hashes of `id` and `root_span_id`. */
  index(segment: SegmentName): string {
    return this.#file(segment, 'idx');
  }

  /** The part of the index that is kept in memory. */
  ids(segment: SegmentName): string {
    return this.#file(segment, 'ids');
  }

  /** What stays of the row file when it is only in the bucket. */
  groupSums(segment: SegmentName): string {
    return this.#file(segment, 'groups');
  }

  /** The rows of the project's segments that were superseded after these were written. */
  superseded(projectId: string): string {
    return path.join(this.#directory, projectDirectory(projectId), 'superseded.parquet');
  }

  /** All files that the segment has. */
  of(
    segment: SegmentName & Pick<Segment, 'hasNarrow' | 'hasSuperseded'>,
  ): readonly { readonly kind: FileKind; readonly file: string }[] {
    const absent = { narrow: !segment.hasNarrow, ended: !segment.hasSuperseded };
    return fileKinds
      .filter((kind) => !(kind in absent && absent[kind as keyof typeof absent]))
      .map((kind) => ({ kind, file: this.#file(segment, kind) }));
  }

  /** The path of a file relative to the data directory. */
  relative(file: string): string {
    return path.relative(path.dirname(this.#directory), file);
  }

  /** The name of the row file, for readers without a server. */
  rowFileName(segment: SegmentName): string {
    return path.basename(this.rows(segment));
  }

  /** Durably marks an unpublished segment as one that is being moved to its project and published. */
  async mark(segment: SegmentName): Promise<void> {
    const mark = this.#mark(segment);
    await writeFile(mark, '');
    await sync(path.dirname(mark));
  }

  /** Called when the segment is published, or has no files outside of `unpublished`. */
  async unmark(segment: SegmentName): Promise<void> {
    await rm(this.#mark(segment), { force: true });
  }

  async prepare(projectId: string): Promise<void> {
    await mkdir(path.join(this.#directory, projectDirectory(projectId)), { recursive: true });
  }

  /** Moves the files of an unpublished segment to the directory of its project, the row file last. Durable when it resolves. */
  async moveToProject(segment: SegmentName): Promise<void> {
    await this.prepare(segment.projectId);
    const from = this.unpublished.every(segment);
    for (const [index, to] of this.every(segment).entries())
      if (await exists(from[index]!)) await rename(from[index]!, to);
    await sync(path.dirname(this.rows(segment)));
    await sync(this.#directory);
  }

  async remove(segment: SegmentName): Promise<void> {
    await Promise.all(this.every(segment).map((file) => rm(file, { force: true })));
  }

  /** Removes the directories of those projects of `removed`, whose files are gone, that have no segment in `listed`. */
  async removeEmptyProjects(
    removed: readonly SegmentName[],
    listed: readonly SegmentName[],
  ): Promise<void> {
    const kept = new Set(listed.map(({ projectId }) => projectId));
    const emptied = new Set(removed.map(({ projectId }) => projectId));
    for (const projectId of emptied) {
      if (kept.has(projectId)) continue;
      const file = this.superseded(projectId);
      await rm(file, { force: true });
      // It fails if a new segment is being moved there.
      await rmdir(path.dirname(file)).catch(() => {});
    }
  }

  /**
   * Paths of the files that a process left when it ended while it wrote or published a segment: all below `unpublished`, the
   * temporary ones, and those of segments with a mark that are not in `listed`, the segments of the manifest.
   */
  async unfinished(listed: readonly SegmentName[]): Promise<readonly string[]> {
    const files = await listFiles(this.#directory, [setAside, notOurs]);
    const isListed = new Set(listed.map((segment) => this.rows(segment)));
    const placed = files
      .map((file) => nameOf(markFile, file))
      .filter((marked) => marked !== null && !isListed.has(this.rows(marked)))
      .flatMap((marked) => this.every(marked!));
    const left = new Set(placed.map((file) => path.relative(this.#directory, file)));
    return files
      .filter((file) => isBelow(unpublished, file) || unfinishedFile.test(file) || left.has(file))
      .map((file) => path.join(this.#directory, file));
  }

  /** Removes the files of `unfinished`; the marks last, in case that the process ends meanwhile. */
  async removeUnfinished(listed: readonly SegmentName[]): Promise<void> {
    const below = path.join(this.#directory, unpublished);
    for (const file of await this.unfinished(listed))
      if (!isBelow(below, file)) await rm(file, { force: true });
    await rm(below, { recursive: true, force: true });
  }

  /** Moves a file of the directory below `set-aside/<label>`, where nothing reads it. Returns its new path. */
  async setAside(file: string, label: string): Promise<string> {
    const to = path.join(this.#directory, setAside, label, path.relative(this.#directory, file));
    await mkdir(path.dirname(to), { recursive: true });
    await rename(file, to);
    return to;
  }

  /** Paths of all files in the directory of segments that belong to none of them, without unfinished files. */
  async orphans(segments: readonly SegmentName[]): Promise<readonly string[]> {
    const known = new Set(
      segments.flatMap((segment) => [...this.every(segment), this.superseded(segment.projectId)]),
    );
    return (await listFiles(this.#directory, besideProjects))
      .filter((file) => !unfinishedFile.test(file))
      .map((file) => path.join(this.#directory, file))
      .filter((file) => !known.has(file));
  }

  /** The segments whose rows are on disk, whether they are published or not. */
  async onDisk(): Promise<readonly SegmentName[]> {
    const files = await listFiles(this.#directory, besideProjects);
    return files.flatMap((file) => {
      const name = nameOf(rowFile, file);
      return name !== null && this.rows(name) === path.join(this.#directory, file) ? [name] : [];
    });
  }

  /** The largest number in the name of any file, also of those that were set aside; 0 when there is none. */
  async lastNumber(): Promise<number> {
    const files = await listFiles(this.#directory, [notOurs]);
    return files.reduce((last, file) => {
      const [, number] = numberedFile.exec(path.basename(file)) ?? [];
      return Math.max(last, Number(number ?? 0));
    }, 0);
  }

  /** The files of all kinds, which a segment need not have. The rows last. */
  every(segment: SegmentName): readonly string[] {
    return (['groups', ...fileKinds] as const).map((kind) => this.#file(segment, kind));
  }

  #mark(segment: SegmentName): string {
    return this.unpublished.#file(segment, 'moving');
  }

  #file({ projectId, source }: SegmentName, kind: FileKind | 'moving' | 'groups'): string {
    const name = `${fileName(source)}.${kind}`;
    return path.join(this.#directory, projectDirectory(projectId), name);
  }
}

const isBelow = (directory: string, file: string): boolean =>
  file.startsWith(`${directory}${path.sep}`);

const exists = (file: string): Promise<boolean> =>
  stat(file).then(
    () => true,
    () => false,
  );
