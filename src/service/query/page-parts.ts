// Divides a page into parts, each the result of one query, so that a page of any size uses the memory of one part.
import type { Sql } from '../../duckdb/sql.js';
import {
  pageWeights,
  partEnds,
  type PageRange,
  type WeighedPosition,
} from '../../query/page/trace-page.js';
import { rowBytes, type Snapshot, type XactRange } from '../../store/event-store.js';
import { positionIn } from './page-plan.js';

/** The rows of all pages after a position. */
export interface PageSource {
  readonly rows: (range: XactRange) => Sql;
  /** See `Snapshot.portions`. */
  readonly portions: (
    range: XactRange,
    rowsMax: number,
  ) => AsyncIterable<{ readonly range: XactRange; readonly isLarge: boolean }>;
  readonly signal: AbortSignal;
}

export interface PagePartsRequest extends PageSource {
  readonly range: PageRange;
  /** At least the number of rows of the page. */
  readonly rowsMax: number;
}

/** A part of a page, and the range of its transactions. */
export interface PagePart extends PageRange {
  readonly xacts: XactRange;
}

const xactRange = ({ after, until }: PageRange): XactRange => ({
  from: until?.xactId ?? null,
  to: after?.xactId ?? null,
});

/** Yields the parts in page order. Large portions are divided by row when the consumer reaches them. */
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

/** Divides a portion by row. The last part ends with the last row. */
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
  for await (const chunk of snapshot.stream(query, { lane: 'small', signal }))
    for (const row of chunk) found.push({ ...positionIn(row), bytes: row[3] as number });
  return found;
}
