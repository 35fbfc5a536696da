// A query that is ready to run, and what its answer's body is made of.
import type { QueryAst } from '../../query/syntax/ast.js';
import type { CompiledQuery, QueryPage } from '../../query/compile.js';
import type { CursorReader } from '../../query/cursor/page-cursor.js';
import { nextCursor } from '../../query/cursor/query-cursor.js';
import type { FinishedBytes, LaneName, Snapshot, TextResult } from '../../store/event-store.js';
import type { StreamedReply } from '../reply.js';

/** What the end of an answer says beside its rows. */
export interface Answered {
  readonly snapshot: Pick<Snapshot, 'version'>;
  readonly ast: QueryAst;
  /** Of the cursor in the answer. */
  readonly reader: CursorReader;
  readonly compiled: Pick<CompiledQuery, 'columns' | 'warnings'> & {
    readonly page: Pick<QueryPage, 'size'> | null;
  };
}

export interface QueryRun extends Answered {
  readonly snapshot: Snapshot;
  readonly compiled: CompiledQuery;
  /** Queries whose rows, one query's after the other's, are those of the compiled one. */
  readonly slices: readonly CompiledQuery[];
  /** Where its rows are read when they are sent as text. */
  readonly lane: LaneName;
  readonly signal: AbortSignal;
  /** Rows that the answer may have; Infinity for any number. */
  readonly rowsMax: number;
}

export type Body = Omit<StreamedReply, 'headers'> & {
  readonly headers?: Readonly<Record<string, string>>;
};

/** The cursor of the next page, null where none follows. */
export function cursorAfter(
  { ast, reader, snapshot, compiled: { page } }: Answered,
  { rowCount, place }: TextResult,
): string | null {
  const hasMore = page !== null && rowCount > page.size && place !== null;
  return hasMore ? nextCursor(ast, reader, snapshot.version, place) : null;
}

export const cursorHeaders = (
  names: readonly string[],
  cursor: string | null,
): Readonly<Record<string, string>> =>
  cursor === null ? {} : Object.fromEntries(names.map((name) => [name, cursor]));

/** The bytes between two texts. */
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
