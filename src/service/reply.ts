// The replies of operations. http/ sends them.
import type { Readable } from 'node:stream';
import type { ByteRange } from './byte-range.js';

export interface StreamedReply {
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The name of a file that browsers save instead of showing it. */
  readonly filename?: string;
  /** The length in bytes, if it is known. */
  readonly length?: number;
  /** The part of that length which the body is (206); null for all. */
  readonly part?: ByteRange | null;
  /** A buffer is sent at once, anything else as a stream. */
  readonly body: Buffer | Readable | AsyncIterable<string | Uint8Array>;
}

export interface TextReply {
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** The client has the current answer (304). */
export interface UnchangedReply {
  readonly isUnchanged: true;
  readonly headers: Readonly<Record<string, string>>;
}

export type Reply = StreamedReply | TextReply | UnchangedReply;

export const jsonType = 'application/json; charset=utf-8';

/** Headers of a file: browsers neither run it as a page of this origin nor cache it. */
export const fileHeaders = {
  'content-security-policy': "default-src 'none'; sandbox",
  'cache-control': 'private, no-store',
  'x-content-type-options': 'nosniff',
} as const;

/** A reply with a JSON text in memory. */
export const jsonReply = (
  text: string,
  headers: Readonly<Record<string, string>> = {},
): TextReply => ({ contentType: jsonType, headers, text });

export const textReply = (text: string): TextReply => ({
  contentType: 'text/plain; charset=utf-8',
  headers: {},
  text,
});
