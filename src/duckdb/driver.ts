// The engine's driver. It is loaded with `require`, because `import` reads its 180 CommonJS modules twice, first to find their
// exports, which takes 0.1 s in each thread.
import { createRequire } from 'node:module';
import type * as Driver from '@duckdb/node-api';

export const {
  BIGINT,
  BOOLEAN,
  DOUBLE,
  DuckDBDataChunk,
  DuckDBInstance,
  DuckDBListValue,
  DuckDBScalarFunction,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  INTEGER,
  LIST,
  SQLNULL,
  TIMESTAMP,
  VARCHAR,
  listValue,
} = createRequire(import.meta.url)('@duckdb/node-api') as typeof Driver;

export type DuckDBDataChunk = Driver.DuckDBDataChunk;
export type DuckDBInstance = Driver.DuckDBInstance;
export type DuckDBScalarFunction = Driver.DuckDBScalarFunction;
