// Classifies errors of the engine. Callers decide by kind and never by text.

/**
 * - `memory`: the instance's memory is used up
 * - `interrupted`: stopped by `interrupt()`
 * - `storage`: the disk is full, spilled data reached its limit, or a file cannot be written
 * - `fatal`: the instance rejects all further statements until it is reopened
 * - `damaged`: the content of the database file or its log is invalid
 * - `locked`: another process has the database file open
 * - `complexity`: an expression is too deep for the engine
 * - `constraint`: a unique key or a NOT NULL was violated
 */
export type EngineErrorKind =
  | 'memory'
  | 'interrupted'
  | 'storage'
  | 'fatal'
  | 'damaged'
  | 'locked'
  | 'complexity'
  | 'constraint'
  | 'other';

export class EngineError extends Error {
  override readonly name = 'EngineError';

  constructor(
    readonly kind: EngineErrorKind,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

const memoryPattern = /Out of Memory Error|OutOfMemory|bad_alloc|failed to (allocate|pin|offload)/i;

// Order matters: a failed commit contains the text of its cause, and FATAL takes precedence over it.
const patterns: readonly (readonly [RegExp, EngineErrorKind])[] = [
  [/Failure while replaying WAL file/, 'damaged'],
  [/FATAL Error|has been invalidated/, 'fatal'],
  [
    /Corrupt (database|WAL|Encrypted WAL) file|corrupt database file|not a valid DuckDB database file|Could not read enough bytes from file "[^"]*\.duckdb"|replaying WAL file|WAL does not match|WAL was created for/i,
    'damaged',
  ],
  [/Could not set lock on file/, 'locked'],
  // The disk limits spilled data, though the engine calls it memory.
  [/max_temp_directory_size/, 'storage'],
  [memoryPattern, 'memory'],
  [/INTERRUPT Error|Interrupted!/, 'interrupted'],
  [/Max expression depth limit/, 'complexity'],
  [/Constraint Error/, 'constraint'],
  [
    /IO Error|No space left|Disk quota|File too large|Read-only file system|Operation not permitted|Permission denied/,
    'storage',
  ],
  // Codes of Node.js.
  [/^E[A-Z]+: /, 'storage'],
];

export function toEngineError(error: unknown): EngineError {
  if (error instanceof EngineError) return error;
  const message = error instanceof Error ? error.message : String(error);
  const kind = patterns.find(([pattern]) => pattern.test(message))?.[1] ?? 'other';
  return new EngineError(kind, message, { cause: error });
}

/** Whether the memory of the instance is used up, also if the instance has to be reopened for that reason. */
export const isMemoryError = (error: unknown): boolean =>
  error instanceof EngineError && memoryPattern.test(error.message);

export const isEngineError = (error: unknown, ...kinds: readonly EngineErrorKind[]): boolean =>
  error instanceof EngineError && kinds.includes(error.kind);
