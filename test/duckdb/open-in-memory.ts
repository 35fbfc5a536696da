// An instance without a file, in a thread of its own.
import path from 'node:path';
import type { DatabaseSettings } from '../../src/duckdb/database.js';
import { ThreadDatabase } from '../../src/duckdb/thread-database.js';

/** `functions` is the URL of a module that exports `scalarFunctions()`. */
export const openInMemory = (
  directory: string,
  settings: Pick<DatabaseSettings, 'threads' | 'isBackground' | 'hasSmallResults'>,
  functions: URL | null = null,
): Promise<ThreadDatabase> =>
  ThreadDatabase.open(
    ':memory:',
    {
      memoryMb: 100,
      temporaryDirectory: path.join(directory, 'tmp', 'a'),
      allowedDirectories: [directory],
      ...settings,
    },
    functions,
  );
