// Maps engine errors about unreadable files to an error that names the segment.
import { EngineError, isEngineError } from '../../duckdb/engine-error.js';
import { readParquet } from '../../duckdb/parquet.js';
import { sql, type Sql } from '../../duckdb/sql.js';
import { shortageIn, unavailable, type RequestError } from '../../errors.js';

const segmentFile = /segments\/(project_id=[^/"']+\/\d+)\.(?:parquet|narrow|ended|idx)/;

// Errors of the engine about pages that it cannot decode. They often lack the name of the file.
const undecodable = /^(?:Invalid Error|Invalid Input Error|Serialization Error)/;

/** `name` is as `findDamagedSegment` gives it. */
export const damagedSegmentError = (name: string): RequestError =>
  unavailable(`the segment ${name} is missing or damaged`);

/** The name of the segment that the file belongs to: the path of its files below `segments`, without an ending. */
export const segmentNameOf = (file: string): string => segmentFile.exec(file)?.[1] ?? file;

/** The name of the segment whose file the error names; null if it names none, or nothing is wrong with the file. */
export function namedSegment(error: unknown): string | null {
  if (!(error instanceof EngineError) || shortageIn(error) !== null) return null;
  return segmentFile.exec(error.message)?.[1] ?? null;
}

/**
 * Finds the segment that caused an error of the engine; null if none did. If the error may come from damaged bytes and does not
 * name a file, reads all files of `statement` through `read`.
 */
export async function findDamagedSegment(
  error: unknown,
  statement: Sql,
  read: (query: Sql) => Promise<unknown>,
): Promise<string | null> {
  const named = namedSegment(error);
  if (named !== null || !isUndecodable(error)) return named;
  for (const [file, name] of segmentFilesOf(statement))
    if (!(await isReadable(file, read))) return name;
  return null;
}

const isUndecodable = (error: unknown): boolean =>
  isEngineError(error, 'other') && undecodable.test((error as EngineError).message);

function segmentFilesOf({ parts }: Sql): ReadonlyMap<string, string> {
  const values = parts.flatMap((part) => (typeof part === 'string' ? [] : part.value));
  const files = new Map<string, string>();
  for (const value of values) {
    const [, name] = typeof value === 'string' ? (segmentFile.exec(value) ?? []) : [];
    if (name !== undefined) files.set(value as string, name);
  }
  return files;
}

async function isReadable(file: string, read: (query: Sql) => Promise<unknown>): Promise<boolean> {
  try {
    await read(sql`SELECT bit_xor(hash(COLUMNS(*))) FROM ${readParquet(file)}`);
    return true;
  } catch (error) {
    if (isEngineError(error, 'interrupted', 'memory') || shortageIn(error) !== null) throw error;
    return false;
  }
}
