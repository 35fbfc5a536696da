// The chunks of one source: of a segment, one per row group; of a generation, by the sizes of its rows in the log.
import type { EventLog } from '../../log/event-log.js';
import type { Generation } from '../../manifest/store-state.js';
import type { RowGroup } from '../../segment/row-groups.js';
import type { ObjectStats } from '../../segment/segment.js';

/** A range of transaction ids, inclusive; null leaves that end open. */
export interface XactRange {
  readonly from: bigint | null;
  readonly to: bigint | null;
  /** A range of creation times in microseconds since 1970, likewise. */
  readonly created?: { readonly from: bigint | null; readonly to: bigint | null };
}

/** All rows of some sources in a range of transaction ids or, of one source, of row numbers. */
export interface Chunk extends Omit<XactRange, 'created'> {
  /** A lower estimate. */
  readonly liveRows: number;
  /** The estimated number of row versions. */
  readonly rows: number;
  /** An upper estimate of the JSON text; Infinity if unknown. */
  readonly bytes: number;
}

interface Bounds {
  readonly from: bigint;
  readonly to: bigint;
}

export type BoundedChunk = Chunk & Bounds;

export interface ChunkSettings {
  /** The size that a chunk should have at most. */
  readonly rows: number;
  readonly bytes: number;
  /** Row groups are divided into parts of at least this many rows, since reading a part decompresses the whole row group. */
  readonly dividedRows: number;
}

export const defaultChunks: ChunkSettings = {
  rows: 20_480,
  bytes: 16 * 2 ** 20,
  dividedRows: 512,
};

export type ChunkUnit = 'row' | 'transaction';

/**
 * The chunks of an object in a segment, one per row group. The bounds are less tight in row groups with rows of other objects.
 * @param isAlone whether no other object is read; if others are, they have a part of the bytes of such row groups
 */
export function chunksOfObject(
  { firstRow, lastRow, minXactId, maxXactId, ...of }: ObjectStats,
  groups: readonly RowGroup[],
  unit: ChunkUnit,
  isAlone: boolean,
): readonly BoundedChunk[] {
  const liveShare = (of.rows - of.tombstones - of.superseded) / of.rows;
  const held = groups.filter((group) => group.firstRow <= lastRow && endOf(group) > firstRow);
  const own = held.filter((group) => group.firstRow >= firstRow && endOf(group) <= lastRow + 1);
  const [oldest, newest] = [own[0]?.firstXactId ?? maxXactId, own.at(-1)?.lastXactId ?? minXactId];
  const chunkOf = (first: number, last: number, bytes: number, xacts: Bounds): BoundedChunk => {
    const rows = last - first + 1;
    const range = unit === 'row' ? { from: BigInt(first), to: BigInt(last) } : xacts;
    return { ...range, liveRows: liveShare * rows, rows, bytes };
  };
  const whole = { from: minXactId, to: maxXactId };
  if (held.length === 0) return [chunkOf(firstRow, lastRow, Infinity, whole)];
  return held.map((group) => {
    const first = Math.max(group.firstRow, firstRow);
    const last = Math.min(endOf(group) - 1, lastRow);
    const share = (last - first + 1) / group.rows;
    const shared = {
      from: first === firstRow ? minXactId : newest,
      to: last === lastRow ? maxXactId : oldest,
    };
    const xacts = share === 1 ? { from: group.firstXactId, to: group.lastXactId } : shared;
    return chunkOf(first, last, isAlone ? group.bytes : share * group.bytes, xacts);
  });
}

const endOf = ({ firstRow, rows }: RowGroup): number => firstRow + rows;

/** The chunks of a generation, whose rows are in the order of transactions. */
export function chunksOfGeneration(
  { source, rowCount, bytes }: Generation,
  log: Pick<EventLog, 'xactIdAt' | 'bytesOfRows'>,
  settings: ChunkSettings,
): readonly BoundedChunk[] {
  const step = Math.min(settings.rows, Math.ceil((settings.bytes * rowCount) / Math.max(1, bytes)));
  const chunks: BoundedChunk[] = [];
  for (let firstRow = 0; firstRow < rowCount; firstRow += step) {
    const endRow = Math.min(firstRow + step, rowCount);
    chunks.push({
      from: log.xactIdAt(source, firstRow),
      to: log.xactIdAt(source, endRow - 1),
      liveRows: 0,
      rows: endRow - firstRow,
      bytes: log.bytesOfRows(source, { firstRow, endRow }),
    });
  }
  return chunks;
}
