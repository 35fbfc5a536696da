// Converts the engine's values to plain JavaScript values, and plain rows to chunks for its appender.
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
  type DuckDBValue,
} from '@duckdb/node-api';

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

/** Rows that one of the engine's chunks takes up, as plain values: one per column, in the order of `types`. */
export interface RowChunk {
  readonly types: readonly EngineType[];
  readonly rows: readonly (readonly RowValue[])[];
}

// The engine's vectors hold at most this many values.
const chunkRowsMax = 2048;

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

/** In the engine's own layout. */
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

/** `rows` hold one value per column, in the order of `types`; TIMESTAMP values are microseconds. */
export function toRowChunks(
  types: readonly EngineType[],
  rows: readonly (readonly RowValue[])[],
): readonly RowChunk[] {
  const chunks: RowChunk[] = [];
  for (let start = 0; start < rows.length; start += chunkRowsMax)
    chunks.push({ types, rows: rows.slice(start, start + chunkRowsMax) });
  return chunks;
}
