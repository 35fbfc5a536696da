// Where the files of segments are: the one place that turns a segment into paths.
import { mkdir, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Segment } from './segment.js';

export type SegmentName = Pick<Segment, 'projectId' | 'source'>;

/** A file of a segment, by how its name ends. */
export type FileKind = 'parquet' | 'narrow' | 'ended' | 'idx' | 'ids';

const fileKinds: readonly FileKind[] = ['parquet', 'narrow', 'ended', 'idx', 'ids'];

const numberDigits = 8;

const projectDirectory = (projectId: string): string =>
  `project_id=${encodeURIComponent(projectId)}`;

const fileName = (source: number): string => String(source).padStart(numberDigits, '0');

export class SegmentFiles {
  readonly #directory: string;

  /** `directory` is absolute. */
  constructor(directory: string) {
    this.#directory = directory;
  }

  /** The rows. */
  rows(segment: SegmentName): string {
    return this.#file(segment, 'parquet');
  }

  /** The rows without their JSON text, but for those of `ended`; not every segment has it. */
  narrow(segment: SegmentName): string {
    return this.#file(segment, 'narrow');
  }

  /** The rows that the narrow file lacks, since they were superseded when it was written; not every segment has it. */
  ended(segment: SegmentName): string {
    return this.#file(segment, 'ended');
  }

  /** Row numbers by the hashes of `id` and `root_span_id`. */
  index(segment: SegmentName): string {
    return this.#file(segment, 'idx');
  }

  /** The part of the index that is kept in memory. */
  ids(segment: SegmentName): string {
    return this.#file(segment, 'ids');
  }

  /** The rows of the project's segments that ended since those were written. */
  superseded(projectId: string): string {
    return path.join(this.#directory, projectDirectory(projectId), 'superseded.parquet');
  }

  /** All files that the segment has. */
  of(
    segment: SegmentName & Pick<Segment, 'hasNarrow' | 'hasEnded'>,
  ): readonly { readonly kind: FileKind; readonly file: string }[] {
    const absent = { narrow: !segment.hasNarrow, ended: !segment.hasEnded };
    return fileKinds
      .filter((kind) => !(kind in absent && absent[kind as keyof typeof absent]))
      .map((kind) => ({ kind, file: this.#file(segment, kind) }));
  }

  /** The path of a file relative to the data directory. */
  relative(file: string): string {
    return path.relative(path.dirname(this.#directory), file);
  }

  /** The name that readers without a server see. */
  rowFileName(segment: SegmentName): string {
    return path.basename(this.rows(segment));
  }

  async prepare(projectId: string): Promise<void> {
    await mkdir(path.join(this.#directory, projectDirectory(projectId)), { recursive: true });
  }

  async remove(segment: SegmentName): Promise<void> {
    await Promise.all(this.#all(segment).map((file) => rm(file, { force: true })));
  }

  /** Paths of all files below the directory of segments that belong to none of them. */
  async orphans(segments: readonly SegmentName[]): Promise<readonly string[]> {
    const known = new Set(
      segments.flatMap((segment) => [...this.#all(segment), this.superseded(segment.projectId)]),
    );
    const entries = await readdir(this.#directory, { recursive: true, withFileTypes: true }).catch(
      () => [],
    );
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name))
      .filter((file) => !known.has(file));
  }

  #all(segment: SegmentName): readonly string[] {
    return fileKinds.map((kind) => this.#file(segment, kind));
  }

  #file({ projectId, source }: SegmentName, kind: FileKind): string {
    const name = `${fileName(source)}.${kind}`;
    return path.join(this.#directory, projectDirectory(projectId), name);
  }
}
