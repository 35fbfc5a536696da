// The high-water mark of acknowledged transactions. At the start it shows whether the end of a log was lost.
import path from 'node:path';
import { readHighWaterMark } from '../../duckdb/high-water-mark.js';

export const lastTransactionFile = (dataDirectory: string): string =>
  path.join(dataDirectory, 'last-transaction');

/** Returns null if the transaction is unknown. */
export const readLastTransaction = (dataDirectory: string): Promise<bigint | null> =>
  readHighWaterMark(lastTransactionFile(dataDirectory));
