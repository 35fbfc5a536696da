import { EngineError } from '../../src/duckdb/engine-error.js';
import { toStatement, type Sql } from '../../src/duckdb/sql.js';
import type { WriteConnection } from '../../src/duckdb/writer.js';

/** Makes the next COMMIT of the connection run `end` instead and fail. */
export function failCommit(connection: WriteConnection, end: Sql): void {
  const run = connection.run.bind(connection);
  connection.run = async (statement) => {
    if (toStatement(statement).text !== 'COMMIT') return run(statement);
    await run(end);
    throw new EngineError('fatal', 'provoked');
  };
}

/** Makes the next CHECKPOINT of the connection fail like one on a full disk: the engine rejects all further statements. */
export function failCheckpoint(connection: WriteConnection): void {
  const run = connection.run.bind(connection);
  let isInvalid = false;
  connection.run = (statement) => {
    isInvalid ||= toStatement(statement).text === 'CHECKPOINT';
    return isInvalid ? Promise.reject(new EngineError('fatal', 'provoked')) : run(statement);
  };
}
