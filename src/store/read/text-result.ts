// The finished rows of a query as text.
import { randomUUID } from 'node:crypto';
import type { Sql } from '../../duckdb/sql.js';
import type { TextTarget } from './collected-text.js';
import { inFile, inMemory, type FinishedBytes } from './finished-bytes.js';
import type { ReadSession } from './read-session.js';

export type TextOptions = Omit<TextTarget, 'path'>;

export interface TextResult {
  readonly text: FinishedBytes;
  /** Rows that there were, also those left out. */
  readonly rowCount: number;
  /** The distinct kinds of rows, one letter for each column. */
  readonly kinds: ReadonlySet<string>;
  /** The place of the last row of the text; null without one. */
  readonly place: string | null;
}

export async function collectText(
  session: ReadSession,
  queries: readonly Sql[],
  options: TextOptions,
  temporaryFile: (name: string) => string,
): Promise<TextResult> {
  const path = temporaryFile(`text-${randomUUID()}`);
  const {
    inMemory: bytes,
    rowCount,
    kinds,
    place,
  } = await session.collectText(queries, {
    ...options,
    path,
  });
  const text = bytes === null ? await inFile(path) : inMemory(bytes);
  return { text, rowCount, kinds: new Set(kinds), place };
}
