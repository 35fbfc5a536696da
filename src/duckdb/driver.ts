// The engine's driver. It is loaded with `require`, because `import` reads its 180 CommonJS modules twice, first to find their
// exports, which takes 0.1 s in each thread.
import { createRequire } from 'node:module';
import type * as Driver from '@duckdb/node-api';
import type * as Bindings from '@duckdb/node-bindings';

const require = createRequire(import.meta.url);

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
} = require('@duckdb/node-api') as typeof Driver;

export const {
  get_data_from_pointer: bytesAtPointer,
  pending_execute_check_state: stateOf,
  pending_execution_is_finished: isFinished,
} = require('@duckdb/node-bindings') as typeof Bindings;

export type DuckDBDataChunk = Driver.DuckDBDataChunk;
export type DuckDBInstance = Driver.DuckDBInstance;
export type DuckDBScalarFunction = Driver.DuckDBScalarFunction;
