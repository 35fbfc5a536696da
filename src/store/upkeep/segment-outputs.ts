// Writes the files of new segments under fresh numbers, and knows where each input row went.
import type { Connection } from '../../duckdb/connection.js';
import type { Sql } from '../../duckdb/sql.js';
import { checksumsOf, type CheckedFiles } from '../segment/checked-files.js';
import { toSegment, type Segment } from '../segment/segment.js';
import type { SegmentFiles, SegmentName } from '../segment/segment-files.js';
import { writeIds, type SegmentLookup } from '../segment/segment-lookup.js';
import { writeSegment, type OrderedRows, type SegmentSettings } from '../segment/segment-writer.js';

export interface SegmentInput {
  readonly source: number;
  /** The `_source_row` of its row 0. */
  readonly firstRow: number;
}

export interface SegmentOrder {
  readonly projectId: string;
  /** As `writeSegment` wants them, with `_source_row`. */
  readonly rows: Sql;
  readonly inputs: readonly SegmentInput[];
  readonly hasInputHash?: boolean;
  readonly ordered?: OrderedRows;
  /** Segments of the project whose rows may be alike. */
  readonly alike: readonly Segment[];
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
    const { rowMap, ...facts } = await writeSegment(connection, {
      rows: order.rows,
      path: files.rows(name),
      narrowPaths: { live: files.narrow(name), ended: files.ended(name) },
      indexPath: files.index(name),
      settings: this.#settings,
      mapsRows: true,
      hasInputHash: order.hasInputHash ?? false,
      ...(order.ordered && { ordered: order.ordered }),
      alike: order.alike.map(({ paths }) => paths),
    });
    this.#lookup.add(name, await writeIds(connection, files, name, facts.rows));
    const checksums = await checksumsOf(files, { ...name, ...facts });
    const segment = toSegment(name.source, name.projectId, { ...facts, rowMap: null }, checksums);
    return {
      segment,
      rowOf: (source, row) => newRow(order.inputs, rowMap, source, row),
    };
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
  rowMap: Int32Array | null,
  source: number,
  row: number,
): number | undefined {
  const input = inputs.find((candidate) => candidate.source === source);
  const found = input && rowMap?.[input.firstRow + row];
  return found === undefined || found < 0 ? undefined : found;
}
