// The file that notes the last transaction with events that was acknowledged: a start can tell that the end of a log was lost.
import path from 'node:path';
import { readNoted } from '../../duckdb/noted-number.js';

export const lastTransactionFile = (dataDirectory: string): string =>
  path.join(dataDirectory, 'last-transaction');

/** Null when that is not known. */
export const readLastTransaction = (dataDirectory: string): Promise<bigint | null> =>
  readNoted(lastTransactionFile(dataDirectory));
