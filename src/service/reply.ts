// What an operation answers. Only http/ knows how it is sent.
import type { Readable } from 'node:stream';

export interface StreamedReply {
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Of a file that is not to be shown but saved. */
  readonly filename?: string;
  /** Bytes, when they are known beforehand. */
  readonly length?: number;
  /** Bytes that are at hand are sent at once. */
  readonly body: Buffer | Readable | AsyncIterable<string | Uint8Array>;
}

export interface TextReply {
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Nothing but that the client has the answer already. */
export interface UnchangedReply {
  readonly isUnchanged: true;
  readonly headers: Readonly<Record<string, string>>;
}

export type Reply = StreamedReply | TextReply | UnchangedReply;

export const jsonType = 'application/json; charset=utf-8';

/** An answer whose JSON text is at hand. */
export const jsonReply = (
  text: string,
  headers: Readonly<Record<string, string>> = {},
): TextReply => ({ contentType: jsonType, headers, text });

export const textReply = (text: string): TextReply => ({
  contentType: 'text/plain; charset=utf-8',
  headers: {},
  text,
});
