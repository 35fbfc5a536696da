// Divides a page into queries that are run one after the other, so that the memory for a page of any size is bounded.
import type { Sql } from '../duckdb/sql.js';
import {
  pageWeights,
  partEnds,
  type PageRange,
  type WeighedPosition,
} from '../query/page/trace-page.js';
import { rowBytes, type Snapshot, type XactRange } from '../store/event-store.js';

/** The rows from which all pages after one position are taken. */
export interface PageSource {
  readonly rows: (range: XactRange) => Sql;
  /** As those of the snapshot. */
  readonly portions: (
    range: XactRange,
    rowsMax: number,
  ) => AsyncIterable<{ readonly range: XactRange; readonly isLarge: boolean }>;
  readonly signal: AbortSignal;
}

export interface PagePartsRequest extends PageSource {
  readonly range: PageRange;
  /** Of the page. */
  readonly rowsMax: number;
}

/** A part of a page, with the transactions that it is in. */
export interface PagePart extends PageRange {
  readonly xacts: XactRange;
}

const xactRange = ({ after, until }: PageRange): XactRange => ({
  from: until?.xactId ?? null,
  to: after?.xactId ?? null,
});

/** In page order. What is large is weighed when it is reached. */
export async function* pageParts(
  snapshot: Snapshot,
  request: PagePartsRequest,
): AsyncGenerator<PagePart, void, void> {
  const { range, rowsMax, portions } = request;
  for await (const { range: xacts, isLarge } of portions(xactRange(range), rowsMax)) {
    const portion = { ...range, xacts };
    if (isLarge)
      yield* partsOf(portion, await weights(snapshot, request, portion), snapshot.portionBytes);
    else yield portion;
  }
}

/** The last one ends with the last row. */
function* partsOf(
  { after: start, xacts }: PagePart,
  rows: readonly WeighedPosition[],
  bytesMax: number,
): Generator<PagePart> {
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
  { rows, signal }: PagePartsRequest,
  range: PagePart,
): Promise<readonly WeighedPosition[]> {
  const found: WeighedPosition[] = [];
  const query = pageWeights(rows(range.xacts), range, rowBytes);
  for await (const chunk of snapshot.stream(query, { lane: 'lookup', signal }))
    for (const [xactId, rootSpanId, position, bytes] of chunk)
      found.push({
        xactId: xactId as bigint,
        rootSpanId: rootSpanId as string,
        position: position as number,
        bytes: bytes as number,
      });
  return found;
}
