// Errors of requests, with the HTTP status and one sentence for the client. Any other exception is a bug and becomes a 500 with
// the request id.

export class RequestError extends Error {
  override readonly name = 'RequestError';

  constructor(
    readonly status: number,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** A position in the text of a query, from 1. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
  /** The member of a JSON query that holds the text; absent for the text of a whole query. */
  readonly within?: string;
}

/** A position in a JSON query, for example `query.filter.children[2].op`. */
export interface JsonPosition {
  readonly path: string;
}

export type QueryPosition = TextPosition | JsonPosition;

const positionText = (position: QueryPosition): string =>
  'path' in position
    ? position.path
    : `${position.within ?? 'query'} line ${position.line}, column ${position.column}`;

/** A query that cannot be parsed or bound. */
export class QueryError extends RequestError {
  constructor(position: QueryPosition, reason: string) {
    super(400, `${positionText(position)}: ${reason}`);
  }
}

export const badRequest = (message: string) => new RequestError(400, message);

/** A query would fetch too much from the bucket. */
export class FetchLimitError extends RequestError {
  constructor(message: string) {
    super(400, message);
  }
}

export const unauthorised = (message: string) =>
  new RequestError(401, message, { 'WWW-Authenticate': 'Bearer' });

export const invalidKey = () => unauthorised('the API key is not valid');

export const forbidden = (message: string) => new RequestError(403, message);

export const tooManyRequests = (message: string, retryAfterSeconds: number) =>
  new RequestError(429, message, { 'Retry-After': String(Math.max(1, retryAfterSeconds)) });

/** What helps against queries that exceed a budget. */
export const narrowing = 'narrow it with a filter, fewer sources, fewer columns or a limit';

export const timeExceeded = (timeoutMs: number) =>
  badRequest(`the query exceeded its time budget of ${timeoutMs / 1000} s: ${narrowing}`);

/** The value of Retry-After in seconds. */
const retrySeconds = 5;

/** The headers of an answer 503. */
export const unavailableHeaders = { 'Retry-After': String(retrySeconds) } as const;

/** @param cause for the log only */
export const unavailable = (message: string, cause?: unknown) =>
  new RequestError(503, message, unavailableHeaders, cause === undefined ? {} : { cause });

/** @param cause a fatal error of an instance that reads */
export const engineFailed = (cause: unknown) =>
  unavailable('the database engine failed and is replaced: try again', cause);

export const storageFailed = (cause: unknown) =>
  unavailable('the storage is full or cannot be written, nothing was stored', cause);

/** The free bytes are kept for what frees more. */
export const diskReserved = () =>
  unavailable(
    'the disk is almost full, and the rest is kept for freeing it (EVALSTORE_DISK_RESERVE_MB): nothing was stored, delete data or free space',
  );

/** For files that a read needs for a while. */
export const temporaryFull = () =>
  unavailable('the storage for temporary data is full or cannot be written');

/** What processes and machines run out of for a while. Connections and segments are open files, too. */
const shortages: readonly (readonly [RegExp, string])[] = [
  [/\b(EMFILE|ENFILE)\b|Too many open files/, 'the server has too many open files'],
  [/\bENOMEM\b|Cannot allocate memory/, 'the system has no free memory'],
];

/** A clause that says why a file cannot be opened or read now, though nothing is wrong with it; null for other errors. */
export function shortageIn(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const found = shortages.find(([pattern]) => pattern.test(error.message));
  return found?.[1] ?? shortageIn(error.cause);
}

/** The error of a write before which the stored state could not be read. */
export const toStorageFailed = (error: unknown): RequestError =>
  error instanceof RequestError ? error : storageFailed(error);

export const writeTooLarge = () =>
  unavailable('the write needs more memory than EVALSTORE_WRITER_MEMORY_MB, nothing was stored');

/** @param part for example `file meta.duckdb` */
export const databaseDamaged = (part: string) =>
  unavailable(`the database ${part} is damaged: restore the data directory from a backup`);

export const directoryInUse = (directory: string): string =>
  `another process is using the data directory ${directory}: stop it first`;

export const directoryUnused = (directory: string): string =>
  `${directory}: no server has used this data directory yet`;

/** It is unknown whether a transaction was stored. */
export class UnknownOutcomeError extends RequestError {
  constructor(cause: unknown) {
    super(
      503,
      'the storage failed while the write was committed, it may or may not be stored',
      {},
      { cause },
    );
  }
}

/** Abbreviates a value of a request for an error message. */
export const abbreviated = (text: string, lengthMax = 100): string =>
  text.length > lengthMax ? `${text.slice(0, lengthMax)}…` : text;

/** For the default branch of a switch over a union, so that the compiler reports a new member. */
export function assertNever(value: never): never {
  throw new Error(`unexpected ${JSON.stringify(value)}`);
}
