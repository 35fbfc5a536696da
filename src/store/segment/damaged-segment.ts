// The engine's complaint about a file of a segment -> the sentence that names the segment.
import { EngineError } from '../../duckdb/engine-error.js';
import { unavailable, type RequestError } from '../../errors.js';

const segmentFile = /segments\/(project_id=[^/"']+\/\d+)\.(?:parquet|idx)/;

/** Null for any other error. */
export function damagedSegment(error: unknown): RequestError | null {
  if (!(error instanceof EngineError)) return null;
  const [, name] = segmentFile.exec(error.message) ?? [];
  return name === undefined ? null : unavailable(`the segment ${name} is missing or damaged`);
}
