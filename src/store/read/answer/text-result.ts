// The rows of a query as JSON text, in memory or in a temporary file.
import type { Sql } from '../../../duckdb/sql.js';
import type { CollectedText, TextTarget } from '../engine/collected-text.js';
import {
  inFile,
  inMemory,
  toNewFiles,
  type FinishedBytes,
  type TemporaryFile,
} from './finished-bytes.js';
import type { ReadSession } from '../engine/read-session.js';

export type TextOptions = Omit<TextTarget, 'path'>;

export interface TextResult extends Omit<CollectedText, 'inMemory'> {
  readonly text: FinishedBytes;
}

export const collectText = (
  session: ReadSession,
  query: Sql,
  options: TextOptions,
  temporaryFile: TemporaryFile,
): Promise<TextResult> =>
  toNewFiles(session, temporaryFile, 'text', 1, async ([path = '']) => {
    const { inMemory: bytes, ...facts } = await session.collectText(query, { ...options, path });
    return { text: bytes === null ? await inFile(path) : inMemory(bytes), ...facts };
  });
