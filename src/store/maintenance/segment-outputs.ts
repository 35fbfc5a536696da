// Writes the files of new segments and computes their checksums; moves them to their final paths, or removes them. Maps the row
// numbers of the inputs to those of the segment.
import type { Connection } from '../../duckdb/connection.js';
import type { CheckedFiles } from '../segment/checked-files.js';
import { checksumsOf } from '../segment/segment-checksums.js';
import { toSegment, type Segment } from '../segment/segment.js';
import type { SegmentFiles, SegmentName } from '../segment/segment-files.js';
import type { SegmentLookup } from '../segment/segment-lookup.js';
import {
  writeSegment,
  type SegmentContents,
  type SegmentSettings,
} from '../segment/segment-writer.js';

export interface SegmentInput {
  readonly source: number;
  /** The index of its row 0 in `newRows`; negative if `newRows` begins with a later row. */
  readonly firstRow: number;
}

export interface OutputRequest extends SegmentContents {
  readonly projectId: string;
  readonly inputs: readonly SegmentInput[];
  /** The new number of each input row, also of those that are in other new segments; -1 for rows that are in none. */
  readonly newRows: Int32Array;
  /** The number in `newRows` of the first row of the new segment. */
  readonly firstNewRow: number;
}

export interface SegmentOutput {
  readonly segment: Segment;
  /** The row's new number; undefined when the segment does not have it. */
  rowOf(source: number, row: number): number | undefined;
}

export class SegmentOutputs {
  readonly #files: SegmentFiles;
  readonly #lookup: SegmentLookup;
  readonly #checked: CheckedFiles;
  readonly #nextSource: () => number;
  readonly #settings: SegmentSettings;

  constructor(
    files: SegmentFiles,
    lookup: SegmentLookup,
    checked: CheckedFiles,
    nextSource: () => number,
    settings: SegmentSettings,
  ) {
    this.#files = files;
    this.#lookup = lookup;
    this.#checked = checked;
    this.#nextSource = nextSource;
    this.#settings = settings;
  }

  /** Paths per segment that get leaf columns. */
  get leafPathsMax(): number {
    return this.#settings.leafPathsMax;
  }

  async write(connection: Connection, request: OutputRequest): Promise<SegmentOutput> {
    const name = { projectId: request.projectId, source: this.#nextSource() };
    try {
      return await this.#write(connection, name, request);
    } catch (error) {
      await this.#files.unpublished.remove(name);
      throw error;
    }
  }

  async #write(
    connection: Connection,
    name: SegmentName,
    request: OutputRequest,
  ): Promise<SegmentOutput> {
    const files = this.#files.unpublished;
    const { projectId, inputs, newRows, firstNewRow, ...contents } = request;
    const numbers = { inputs, newRows, firstNewRow, rowCount: contents.rowCount };
    const written = { ...contents, files, name, settings: this.#settings };
    const { stats, ids } = await writeSegment(connection, written);
    if (stats.rows !== contents.rowCount)
      throw new Error(
        `a new segment of project ${projectId} has ${stats.rows} rows instead of ${contents.rowCount}`,
      );
    const checksums = await checksumsOf(files, { ...name, ...stats });
    this.#lookup.add(name, ids);
    const segment = toSegment(name.source, projectId, stats, checksums);
    return { segment, rowOf: (source, row) => newRowOf(numbers, source, row) };
  }

  /** Moves the files of new segments to their final paths. Called before the segments are published. */
  async moveToProjects(segments: readonly Segment[]): Promise<void> {
    for (const segment of segments) {
      await this.#files.mark(segment);
      await this.#files.moveToProject(segment);
    }
    this.#checked.add(segments, 'written');
  }

  /** Called when it is certain that the segments are in the manifest. */
  async published(segments: readonly Segment[]): Promise<void> {
    for (const segment of segments) await this.#files.unmark(segment);
  }

  /** Removes the files of segments that are not published, or no longer. */
  async remove(segments: readonly Segment[]): Promise<void> {
    for (const segment of segments) {
      this.#lookup.forget(segment);
      this.#checked.forget(segment);
      await this.#files.unpublished.remove(segment);
      await this.#files.remove(segment);
      await this.#files.unmark(segment);
    }
  }
}

function newRowOf(
  {
    inputs,
    newRows,
    firstNewRow,
    rowCount,
  }: Pick<OutputRequest, 'inputs' | 'newRows' | 'firstNewRow' | 'rowCount'>,
  source: number,
  row: number,
): number | undefined {
  const input = inputs.find((candidate) => candidate.source === source);
  const found = input && newRows[input.firstRow + row];
  if (found === undefined) return undefined;
  const own = found - firstNewRow;
  return own >= 0 && own < rowCount ? own : undefined;
}
