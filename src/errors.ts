// The errors that operations expect: each carries the HTTP status and the one sentence the client reads.
// Anything else that is thrown is a fault of ours and becomes a 500 with a request id.

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

/** A place in a query that is text: 1-based. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
  /** The member of a JSON query that holds the text; absent for the text of a whole query. */
  readonly within?: string;
}

/** A place in a query that is JSON, for example `query.filter.children[2].op`. */
export interface JsonPlace {
  readonly path: string;
}

export type QueryPlace = TextPlace | JsonPlace;

const placeWords = (place: QueryPlace): string =>
  'path' in place
    ? place.path
    : `${place.within ?? 'query'} line ${place.line}, column ${place.column}`;

/** A query that does not parse or bind, and where. */
export class QueryError extends RequestError {
  constructor(place: QueryPlace, reason: string) {
    super(400, `${placeWords(place)}: ${reason}`);
  }
}

export const badRequest = (message: string) => new RequestError(400, message);

export const forbidden = (message: string) => new RequestError(403, message);

export const tooManyRequests = (message: string, retryAfterSeconds: number) =>
  new RequestError(429, message, { 'Retry-After': String(Math.max(1, retryAfterSeconds)) });

/** Clients that know how to wait try again after so long. */
const retrySeconds = 5;

/** @param cause what the log says of it beside the sentence */
export const unavailable = (message: string, cause?: unknown) =>
  new RequestError(
    503,
    message,
    { 'Retry-After': String(retrySeconds) },
    cause === undefined ? {} : { cause },
  );

export const storageFailed = (cause: unknown) =>
  unavailable('the storage is full or cannot be written, nothing was stored', cause);

/** For the default branch of a switch over a union: a new member then fails to compile. */
export function assertNever(value: never): never {
  throw new Error(`unexpected ${JSON.stringify(value)}`);
}
