// Chunks: the rows of some objects, divided along row groups and ordered by transaction, so that a long read takes the memory of one
// chunk, and a read of the first rows ends after few chunks.
import { join, sql, within, type Sql } from '../../../duckdb/sql.js';
import type { BoundedChunk, Chunk, ChunkSettings, ChunkUnit, XactRange } from './source-chunks.js';

/** The transaction ids of rows, inclusive; null if unbounded. */
interface XactBounds {
  readonly firstXactId: bigint;
  readonly lastXactId: bigint | null;
}

/** The rows of some objects in one source. */
export interface ChunkedRows extends XactBounds {
  readonly source: number;
  /** Whether the rows are in page order, so that transactions can be divided at any row. */
  readonly isInOrder: boolean;
  readonly chunks: (unit: ChunkUnit) => Promise<readonly BoundedChunk[]>;
}

export const xactsOverlap = (
  { firstXactId, lastXactId }: XactBounds,
  { from, to }: XactRange,
): boolean =>
  (to === null || firstXactId <= to) &&
  (from === null || lastXactId === null || lastXactId >= from);

/** Sources whose ranges of transaction ids overlap, which are divided together. */
type SourceGroup = readonly ChunkedRows[];

/**
 * The groups, newest first, of which no two overlap. Segments of different projects can overlap: those of one flush do, and a
 * merged one can reach over several of another project.
 */
export function sourceGroups(newestFirst: readonly ChunkedRows[]): readonly SourceGroup[] {
  const groups: ChunkedRows[][] = [];
  for (const source of newestFirst) {
    const first = groups.findIndex((group) =>
      xactsOverlap(source, { from: group.at(-1)?.firstXactId ?? null, to: null }),
    );
    // The older a group, the earlier it begins, so the source overlaps the groups after `first` as well.
    const [group = [], ...others] = first === -1 ? [] : groups.splice(first);
    group.push(...others.flat(), source);
    groups.push(group);
  }
  return groups;
}

async function chunksOf(group: SourceGroup, unit: ChunkUnit): Promise<readonly BoundedChunk[]> {
  const chunks: BoundedChunk[] = [];
  for (const source of group) chunks.push(...(await source.chunks(unit)));
  return chunks;
}

const newestFirst = (chunks: readonly BoundedChunk[]): readonly BoundedChunk[] =>
  chunks.toSorted((a, b) => (a.from === b.from ? 0 : a.from > b.from ? -1 : 1));

export interface JoinLimits {
  /** Whether a chunk, by its index, is large enough to end. */
  readonly isComplete?: (chunk: Chunk, index: number) => boolean;
  /** A chunk ends before it exceeds this size. */
  readonly max?: Pick<Chunk, 'rows' | 'bytes'>;
}

/**
 * Joins chunks to larger ones that together are `range`. Pulls `chunks` lazily. The size of a joined chunk includes the older chunk
 * that it shares a transaction with.
 * @param chunks newest first
 */
export async function* joined(
  chunks: AsyncIterable<BoundedChunk> | Iterable<BoundedChunk>,
  { from, to: end }: XactRange,
  { isComplete = () => false, max = { rows: Infinity, bytes: Infinity } }: JoinLimits,
): AsyncGenerator<Chunk, void, void> {
  let open = null as BoundedChunk | null;
  let to = end;
  let index = 0;
  for await (const chunk of chunks) {
    if ((to !== null && chunk.from > to) || (from !== null && chunk.to < from)) continue;
    if (open !== null && chunk.from < open.from && !fits(open, chunk, max)) {
      const shared = chunk.to >= open.from ? chunk.bytes : 0;
      yield { ...open, to, bytes: open.bytes + shared };
      to = open.from - 1n;
      open = null;
    }
    open = open === null ? chunk : sum(open, chunk);
    if (!isComplete(open, index)) continue;
    yield { ...open, to };
    index += 1;
    to = open.from - 1n;
    open = null;
  }
  yield { ...(open ?? { liveRows: 0, rows: 0, bytes: 0 }), from, to };
}

const fits = (open: Chunk, { rows, bytes }: Chunk, max: Pick<Chunk, 'rows' | 'bytes'>): boolean =>
  open.rows + rows <= max.rows && open.bytes + bytes <= max.bytes;

const sum = (a: BoundedChunk, b: BoundedChunk): BoundedChunk => ({
  from: a.from < b.from ? a.from : b.from,
  to: a.to,
  liveRows: a.liveRows + b.liveRows,
  rows: a.rows + b.rows,
  bytes: a.bytes + b.bytes,
});

export interface ChunkOrder extends JoinLimits {
  readonly range: XactRange;
  readonly isOldestFirst?: boolean;
}

/** Yields the chunks of the range, joined. Sources are read when the consumer gets to them. */
export async function* chunksIn(
  sources: readonly ChunkedRows[],
  { range, isOldestFirst = false, ...limits }: ChunkOrder,
): AsyncGenerator<Chunk, void, void> {
  const groups = sourceGroups(sources);
  if (!isOldestFirst) yield* joined(inOrder(groups), range, limits);
  else
    for await (const chunk of joined(
      inOrder(groups.toReversed(), mirrored),
      mirrored(range),
      limits,
    ))
      yield mirrored(chunk);
}

async function* inOrder(
  groups: readonly SourceGroup[],
  map: (chunk: BoundedChunk) => BoundedChunk = (chunk) => chunk,
): AsyncGenerator<BoundedChunk, void, void> {
  for (const group of groups) yield* newestFirst((await chunksOf(group, 'transaction')).map(map));
}

/** With negated ids, the oldest rows are the newest. */
const mirrored = <T extends Pick<Chunk, 'from' | 'to'>>(range: T): T => ({
  ...range,
  from: range.to === null ? null : -range.to,
  to: range.from === null ? null : -range.from,
});

/** The rows of some sources that meet a condition. */
export interface RowChunk {
  readonly sources: readonly number[];
  readonly condition: Sql;
}

/**
 * Divides all rows, newest first: at row numbers where one source has them in order, and else at transaction ids.
 * @param keepsTransactions whether all rows of a transaction must be in one chunk
 */
export async function rowChunks(
  sources: readonly ChunkedRows[],
  keepsTransactions: boolean,
  settings: ChunkSettings,
): Promise<readonly RowChunk[]> {
  const found: RowChunk[] = [];
  for (const group of sourceGroups(sources)) {
    const isByRow = !keepsTransactions && group.length === 1 && group[0]!.isInOrder;
    const column = isByRow ? sql`_row` : sql`_xact_id`;
    const chunks = await chunksOf(group, isByRow ? 'row' : 'transaction');
    const parts = newestFirst(chunks.flatMap((chunk) => divided(chunk, settings)));
    for await (const chunk of joined(parts, everything, { max: settings })) {
      const held = isByRow ? group : group.filter((each) => xactsOverlap(each, chunk));
      if (chunk.rows === 0 || held.length === 0) continue;
      const condition = join([sql`TRUE`, ...within(column, chunk)], ' AND ');
      found.push({ sources: held.map(({ source }) => source), condition });
    }
  }
  return found;
}

export const everything: XactRange = { from: null, to: null };

/** Divides a large chunk evenly. */
function divided(chunk: BoundedChunk, settings: ChunkSettings): readonly BoundedChunk[] {
  const { from, to, liveRows, rows, bytes } = chunk;
  const wanted = Math.max(rows / settings.rows, bytes / settings.bytes);
  const parts = Math.ceil(Math.min(wanted, rows / settings.dividedRows));
  if (parts <= 1) return [chunk];
  const start = (part: number) => from + ((to - from + 1n) * BigInt(part)) / BigInt(parts);
  return Array.from({ length: parts }, (_, part) => ({
    from: start(part),
    to: start(part + 1) - 1n,
    liveRows: liveRows / parts,
    rows: rows / parts,
    bytes: bytes / parts,
  }));
}
