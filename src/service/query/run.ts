// A compiled query that is ready to run, and the parts that the bodies of its answers share.
import type { CompiledQuery, PreparedQuery, QueryPage } from '../../query/compile.js';
import type { CursorReader } from '../../query/cursor/page-cursor.js';
import { nextCursor } from '../../query/cursor/query-cursor.js';
import { readsClock } from '../../query/syntax/walk.js';
import type { FinishedBytes, Snapshot, TextResult } from '../../store/event-store.js';
import type { StreamedReply } from '../reply.js';
import type { CompiledRun } from './compiled-run.js';

/** The facts that an answer has besides its rows: version, cursor, columns and warnings. */
export interface AnswerContext {
  readonly snapshot: Pick<Snapshot, 'version'>;
  readonly prepared: Pick<PreparedQuery, 'ast'>;
  /** The reader of the cursor in the answer. */
  readonly reader: CursorReader;
  /** The value of `now()`, in microseconds since 1970. */
  readonly nowMicros: bigint;
  readonly compiled: Pick<CompiledQuery, 'columns' | 'warnings'> & {
    readonly page: Pick<QueryPage, 'size'> | null;
  };
}

export interface QueryRun extends AnswerContext, Omit<CompiledRun, 'relation'> {
  readonly snapshot: Snapshot;
  readonly compiled: CompiledQuery;
  readonly signal: AbortSignal;
  /** The row budget of the answer; Infinity for none. */
  readonly rowsMax: number;
}

export type Body = Omit<StreamedReply, 'headers'> & {
  readonly headers?: Readonly<Record<string, string>>;
};

/** The cursor of the next page; null if this is the last page. */
export function cursorAfter(run: AnswerContext, { rowCount, place }: TextResult): string | null {
  const { reader, nowMicros } = run;
  const { page } = run.compiled;
  const hasMore = page !== null && rowCount > page.size && place !== null;
  if (!hasMore) return null;
  const { ast } = run.prepared;
  const { version } = run.snapshot;
  const pageVersion = readsClock(ast) ? { version, nowMicros } : { version };
  return nextCursor(ast, reader, pageVersion, place);
}

/** The header with the number of rows in the answer. */
export const rowsHeader = (count: number): Readonly<Record<string, string>> => ({
  'x-evalstore-rows': String(count),
});

/** As `rowsHeader`, without the row that proves that there is a next page. */
export const shownRows = ({ compiled: { page } }: AnswerContext, { rowCount }: TextResult) =>
  rowsHeader(Math.min(rowCount, page?.size ?? Infinity));

export const cursorHeaders = (
  names: readonly string[],
  cursor: string | null,
): Readonly<Record<string, string>> =>
  cursor === null ? {} : Object.fromEntries(names.map((name) => [name, cursor]));

/** A body of the bytes between two texts. */
export function framed(
  head: string,
  content: FinishedBytes,
  tail: string,
): Pick<Body, 'length' | 'body'> {
  const [first, last] = [Buffer.from(head), Buffer.from(tail)];
  const length = first.length + content.length + last.length;
  const { inMemory } = content;
  const body =
    inMemory === undefined ? parts(first, content, last) : Buffer.concat([first, inMemory, last]);
  return { length, body };
}

async function* parts(
  first: Uint8Array,
  content: FinishedBytes,
  last: Uint8Array,
): AsyncIterable<Uint8Array> {
  let lead = first;
  for await (const chunk of content.chunks()) {
    yield lead.length === 0 ? chunk : Buffer.concat([lead, chunk]);
    lead = chunk.subarray(0, 0);
  }
  yield Buffer.concat([lead, last]);
}
