// Writes the files of new segments under fresh numbers, and knows where each input row went.
import type { Connection } from '../../duckdb/connection.js';
import { checksumsOf, type CheckedFiles } from '../segment/checked-files.js';
import { toSegment, type Segment } from '../segment/segment.js';
import type { SegmentFiles, SegmentName } from '../segment/segment-files.js';
import { writeIds, type SegmentLookup } from '../segment/segment-lookup.js';
import {
  writeSegment,
  type SegmentRequest,
  type SegmentSettings,
} from '../segment/segment-writer.js';

export interface SegmentInput {
  readonly source: number;
  /** Where the places of its rows begin; negative when its first rows are not among the rows. */
  readonly firstRow: number;
}

export interface SegmentOrder extends Pick<
  SegmentRequest,
  'rows' | 'rowCount' | 'paths' | 'hasLargeRows'
> {
  readonly projectId: string;
  readonly inputs: readonly SegmentInput[];
  /** For the rows of all inputs: the number that each gets, -1 when it is not among the rows. */
  readonly places: Int32Array;
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

  async write(connection: Connection, order: SegmentOrder): Promise<SegmentOutput> {
    const name = { projectId: order.projectId, source: this.#nextSource() };
    try {
      return await this.#write(connection, name, order);
    } catch (error) {
      await this.#files.unpublished.remove(name);
      throw error;
    }
  }

  async #write(
    connection: Connection,
    name: SegmentName,
    order: SegmentOrder,
  ): Promise<SegmentOutput> {
    const files = this.#files.unpublished;
    await files.prepare(order.projectId);
    const { rows, rowCount, paths, hasLargeRows, inputs, places } = order;
    const facts = await writeSegment(connection, {
      rows,
      rowCount,
      paths,
      hasLargeRows,
      path: files.rows(name),
      narrowPaths: { live: files.narrow(name), ended: files.ended(name) },
      indexPath: files.index(name),
      settings: this.#settings,
    });
    this.#lookup.add(name, await writeIds(connection, files, name, facts.rows));
    const checksums = await checksumsOf(files, { ...name, ...facts });
    const segment = toSegment(name.source, name.projectId, facts, checksums);
    return { segment, rowOf: (source, row) => newRow(inputs, places, source, row) };
  }

  /** Moves the files of new segments to where readers look for them: to be called before they are published. */
  async place(segments: readonly Segment[]): Promise<void> {
    for (const segment of segments) await this.#files.place(segment);
    this.#checked.add(segments, 'written');
  }

  /** Removes the files of segments that are not or no longer published. */
  async remove(segments: readonly Segment[]): Promise<void> {
    for (const segment of segments) {
      this.#lookup.forget(segment);
      this.#checked.forget(segment);
      await this.#files.unpublished.remove(segment);
      await this.#files.remove(segment);
    }
  }
}

function newRow(
  inputs: readonly SegmentInput[],
  places: Int32Array,
  source: number,
  row: number,
): number | undefined {
  const input = inputs.find((candidate) => candidate.source === source);
  const found = input && places[input.firstRow + row];
  return found === undefined || found < 0 ? undefined : found;
}
