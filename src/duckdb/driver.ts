// The engine's driver. `import` would read its 180 modules twice, since it collects the exported names of CommonJS before
// it runs them: that takes a tenth of a second in each thread. `require` reads them once.
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
