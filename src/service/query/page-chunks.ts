// Divides a page into chunks, each the result of one query, so that a page of any size uses the memory of one chunk.
import type { Sql } from '../../duckdb/sql.js';
import {
  pageWeights,
  partEnds,
  type PageRange,
  type WeighedPosition,
} from '../../query/page/trace-page.js';
import {
  rowBytes,
  type Chunk,
  type ChunkOrder,
  type Snapshot,
  type XactRange,
} from '../../store/event-store.js';
import { positionIn } from './page-plan.js';

/** The rows of all pages after a position. */
export interface PageSource {
  readonly rows: (range: XactRange) => Sql;
  /** See `Snapshot.chunks`. */
  readonly chunks: (order: ChunkOrder) => AsyncIterable<Chunk>;
  readonly signal: AbortSignal;
}

export interface PageChunksRequest extends PageSource {
  readonly range: PageRange;
}

/** A part of a page, and the range of its transactions. */
export interface PageChunk extends PageRange {
  readonly xacts: XactRange;
}

/** A chunk is divided by row if it is larger than `chunkBytes` by this factor. For smaller ones, that costs more than it saves. */
const largeChunks = 4;

const xactRange = ({ after, until }: PageRange): XactRange => ({
  from: until?.xactId ?? null,
  to: after?.xactId ?? null,
});

/**
 * Yields chunks in page order. Large ones are divided by row when the consumer reaches them, so a chunk takes up to about four times
 * `chunkBytes` of memory.
 */
export async function* pageChunks(
  snapshot: Snapshot,
  request: PageChunksRequest,
): AsyncGenerator<PageChunk, void, void> {
  const { range, chunks } = request;
  const { chunkBytes } = snapshot;
  const order = { range: xactRange(range), max: { rows: Infinity, bytes: chunkBytes } };
  for await (const { from, to, bytes } of chunks(order)) {
    const chunk = { ...range, xacts: { from, to } };
    if (bytes <= largeChunks * chunkBytes) yield chunk;
    else yield* dividedByRow(chunk, await weights(snapshot, request, chunk), chunkBytes);
  }
}

/** The last part ends with the last row. */
function* dividedByRow(
  { after: start, xacts }: PageChunk,
  rows: readonly WeighedPosition[],
  bytesMax: number,
): Generator<PageChunk> {
  let after = start;
  let { to } = xacts;
  for (const until of partEnds(rows, bytesMax)) {
    yield { after, until, xacts: { from: until.xactId, to } };
    after = until;
    to = until.xactId;
  }
}

async function weights(
  snapshot: Snapshot,
  { rows, signal }: PageChunksRequest,
  range: PageChunk,
): Promise<readonly WeighedPosition[]> {
  const found: WeighedPosition[] = [];
  const query = pageWeights(rows(range.xacts), range, rowBytes);
  for await (const chunk of snapshot.stream(query, { queue: 'small', signal }))
    for (const row of chunk) found.push({ ...positionIn(row), bytes: row[3] as number });
  return found;
}
