// Hands plain rows to the engine's appender, in the way that is cheapest for so many.
import { DuckDBTimestampValue, type DuckDBAppender } from '@duckdb/node-api';
import { assertNever } from '../errors.js';
import { engineTypes, toDataChunk, type EngineType, type RowChunk, type RowValue } from './rows.js';

/** Vectors for a chunk cost as much as this many rows of two dozen columns whose values go one by one. */
const singleRowsMax = 32;

/** Adds the rows to what `appender` is going to store. */
export function appendRows(appender: DuckDBAppender, chunk: RowChunk): void {
  if (chunk.rows.length > singleRowsMax) appender.appendDataChunk(toDataChunk(chunk));
  else for (const row of chunk.rows) appendRow(appender, chunk.types, row);
}

function appendRow(
  appender: DuckDBAppender,
  types: readonly EngineType[],
  row: readonly RowValue[],
): void {
  for (let column = 0; column < types.length; column++) {
    const value = row[column] ?? null;
    if (value === null) appender.appendNull();
    else appendValue(appender, types[column]!, value);
  }
  appender.endRow();
}

function appendValue(appender: DuckDBAppender, type: EngineType, value: RowValue): void {
  switch (type) {
    case 'BIGINT':
      return appender.appendBigInt(value as bigint);
    case 'INTEGER':
      return appender.appendInteger(value as number);
    case 'BOOLEAN':
      return appender.appendBoolean(value as boolean);
    case 'TIMESTAMP':
      return appender.appendTimestamp(new DuckDBTimestampValue(value as bigint));
    case 'VARCHAR':
      return appender.appendVarchar(value as string);
    case 'VARCHAR[]':
      return appender.appendList(value as readonly string[], engineTypes[type]);
    default:
      return assertNever(type);
  }
}
