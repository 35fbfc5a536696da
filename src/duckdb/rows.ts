// Converts between the values of the engine and plain JavaScript values.
import type { DuckDBValue } from '@duckdb/node-api';
import { textDecoder } from '@duckdb/node-api/lib/vectors/dataAccessors.js';
import {
  BIGINT,
  BOOLEAN,
  DuckDBDataChunk,
  DuckDBListValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  INTEGER,
  LIST,
  TIMESTAMP,
  VARCHAR,
} from './driver.js';

/** BIGINT and HUGEINT are bigints, timestamps are bigints too: microseconds since 1970 in UTC. */
export type RowValue = string | number | bigint | boolean | null | readonly string[];

export type Row = Readonly<Record<string, RowValue>>;

export const engineTypes = {
  BIGINT,
  INTEGER,
  BOOLEAN,
  TIMESTAMP,
  VARCHAR,
  'VARCHAR[]': LIST(VARCHAR),
} as const;

export type EngineType = keyof typeof engineTypes;

/** Rows of one chunk of the engine, as plain values in the order of `types`. */
export interface RowChunk {
  readonly types: readonly EngineType[];
  readonly rows: readonly (readonly RowValue[])[];
}

// The capacity of the engine's vectors.
const chunkRowsMax = 2048;

// The driver's decoder drops U+FEFF from the beginning of a string, as a byte order mark.
const exact = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * Makes the driver return strings as they are stored. Called once in each thread: the driver has one decoder for all vectors,
 * without options.
 */
export function readStringsExactly(): void {
  textDecoder.decode = (bytes?: Uint8Array) => exact.decode(bytes);
}

export function toRowValue(value: DuckDBValue): RowValue {
  if (value === null || typeof value !== 'object') return value;
  if (value instanceof DuckDBTimestampValue || value instanceof DuckDBTimestampTZValue)
    return value.micros;
  if (value instanceof DuckDBListValue) return value.items.map(String);
  return String(value);
}

function toEngineValue(value: RowValue, type: EngineType): DuckDBValue {
  if (value === null) return null;
  if (type === 'TIMESTAMP') return new DuckDBTimestampValue(value as bigint);
  if (type === 'VARCHAR[]') return new DuckDBListValue(value as readonly string[]);
  return value as DuckDBValue;
}

/** The values in the layout of the engine. */
export function toDataChunk({ types, rows }: RowChunk): DuckDBDataChunk {
  const chunk = DuckDBDataChunk.create(
    types.map((type) => engineTypes[type]),
    rows.length,
  );
  types.forEach((type, column) => {
    chunk.setColumnValues(
      column,
      rows.map((row) => toEngineValue(row[column] ?? null, type)),
    );
  });
  return chunk;
}

/** @param rows one value per column, in the order of `types`; TIMESTAMP values are microseconds */
export function toRowChunks(
  types: readonly EngineType[],
  rows: readonly (readonly RowValue[])[],
): readonly RowChunk[] {
  const chunks: RowChunk[] = [];
  for (let start = 0; start < rows.length; start += chunkRowsMax)
    chunks.push({ types, rows: rows.slice(start, start + chunkRowsMax) });
  return chunks;
}
