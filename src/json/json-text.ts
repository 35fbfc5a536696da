// JSON text, as a string or as UTF-8 in a part of a buffer. Bytes cost less time to make, to keep and to store.

export interface JsonBytes {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
}

export type JsonText = string | JsonBytes;

export const stringOfJson = (json: JsonText): string =>
  typeof json === 'string' ? json : json.bytes.toString('utf8', json.start, json.end);

export function bytesOfJson(json: JsonText): JsonBytes {
  if (typeof json !== 'string') return json;
  const bytes = Buffer.from(json);
  return { bytes, start: 0, end: bytes.length };
}

export const jsonByteLength = (json: JsonText): number =>
  typeof json === 'string' ? Buffer.byteLength(json) : json.end - json.start;

/** The length in code units or bytes, which takes no time. */
export const jsonLength = (json: JsonText): number =>
  typeof json === 'string' ? json.length : json.end - json.start;

/** A bound of the length in bytes that takes no time. A UTF-16 code unit has at most three bytes in UTF-8. */
export const jsonBytesMax = (json: JsonText): number =>
  typeof json === 'string' ? 3 * json.length : json.end - json.start;

/** Writes the text at `at`, and returns the number of bytes. The buffer must be large enough. */
export const writeJsonText = (json: JsonText, into: Buffer, at: number): number =>
  typeof json === 'string'
    ? into.write(json, at, 'utf8')
    : json.bytes.copy(into, at, json.start, json.end);
