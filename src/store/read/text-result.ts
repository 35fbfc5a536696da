// The rows of a query as JSON text, in memory or in a temporary file.
import { randomUUID } from 'node:crypto';
import type { Sql } from '../../duckdb/sql.js';
import type { TextTarget } from './collected-text.js';
import { inFile, inMemory, type FinishedBytes, type TemporaryFile } from './finished-bytes.js';
import type { ReadSession } from './read-session.js';

export type TextOptions = Omit<TextTarget, 'path'>;

export interface TextResult {
  readonly text: FinishedBytes;
  /** The number of rows, including those that the text omits. */
  readonly rowCount: number;
  /** The distinct kinds of the values of each column. */
  readonly kinds: readonly string[];
  /** The position of the last row of the text in the page order; null if the query has no pages or the text no rows. */
  readonly place: string | null;
}

export async function collectText(
  session: ReadSession,
  query: Sql,
  options: TextOptions,
  temporaryFile: TemporaryFile,
): Promise<TextResult> {
  const path = temporaryFile(`text-${randomUUID()}`);
  try {
    const collected = await session.collectText(query, { ...options, path });
    const { inMemory: bytes, rowCount, kinds, place } = collected;
    const text = bytes === null ? await inFile(path) : inMemory(bytes);
    return { text, rowCount, kinds, place };
  } catch (error) {
    await session.removeFiles([path]);
    throw error;
  }
}
