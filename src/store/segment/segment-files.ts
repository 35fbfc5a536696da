// Where the files of segments are: the one place that turns a segment into paths.
import { mkdir, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Segment } from './segment.js';
import type { OrderedFiles } from './segment-order.js';

export type SegmentName = Pick<Segment, 'projectId' | 'source'>;

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
    return `${this.#base(segment)}.parquet`;
  }

  /** The rows without their JSON text, but for those of `ended`; not every segment has it. */
  narrow(segment: SegmentName): string {
    return `${this.#base(segment)}.narrow`;
  }

  /** The rows that the narrow file lacks, since they were superseded when it was written; not every segment has it. */
  ended(segment: SegmentName): string {
    return `${this.#base(segment)}.ended`;
  }

  /** Those whose rows are in the order of the segment. */
  ordered(segment: Segment): OrderedFiles {
    const narrow = [this.narrow(segment), ...(segment.hasEnded ? [this.ended(segment)] : [])];
    return { rows: this.rows(segment), narrow: segment.hasNarrow ? narrow : [] };
  }

  /** Row numbers by the hashes of `id` and `root_span_id`. */
  index(segment: SegmentName): string {
    return `${this.#base(segment)}.idx`;
  }

  /** The part of the index that is kept in memory. */
  ids(segment: SegmentName): string {
    return `${this.#base(segment)}.ids`;
  }

  /** The rows of the project's segments that ended since those were written. */
  superseded(projectId: string): string {
    return path.join(this.#directory, projectDirectory(projectId), 'superseded.parquet');
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
    return [
      this.rows(segment),
      this.narrow(segment),
      this.ended(segment),
      this.index(segment),
      this.ids(segment),
    ];
  }

  #base({ projectId, source }: SegmentName): string {
    return path.join(this.#directory, projectDirectory(projectId), fileName(source));
  }
}
