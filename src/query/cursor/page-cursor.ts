// Encodes a position in the page order as an opaque cursor for the next request. A cursor has an HMAC of its content, its use and
// its reader, so the server accepts only cursors that it issued to the same reader for the same use.
import { createHmac } from 'node:crypto';
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { partsOf, signedText, type CodeOf } from '../../schema/signed-text.js';

/** A position in the page order: the key of the last row of a page. */
export interface PagePosition {
  readonly xactId: bigint;
  readonly rootSpanId: string;
  readonly position: number;
  /** The indexes of the row among the rows that `unpivot` makes of one event. */
  readonly members?: readonly number[];
}

/** What all pages of a result share: the version that they read, and at most one of the others. */
export interface PageVersion {
  readonly version: bigint;
  /** For a query that uses `now()`: microseconds since 1970. */
  readonly nowMicros?: bigint;
  /** For a fetch with `max_xact_id` and a key: the transaction as of which it reads rows. It omits events that are deleted at `version`. */
  readonly asOfXactId?: bigint;
}

/** A position as a cursor names it: without a long `rootSpanId`, which is null then, so that a cursor fits into a header. */
export interface CursorPosition extends Omit<PagePosition, 'rootSpanId'> {
  readonly rootSpanId: string | null;
}

export interface PageCursor extends CursorPosition, PageVersion {}

/** The caller for whom cursors are valid. */
export interface CursorReader {
  /** The secret of the data directory, 32 bytes. */
  readonly secret: Uint8Array;
  /** The organisation of the caller; null without a key. */
  readonly orgId: string | null;
}

/** The request that a cursor continues: the fetch of an object, by its id, or a query, by its text. */
export interface CursorUse {
  readonly kind: 'fetch' | 'query';
  readonly of: string;
}

const codeBytes = 16;

/** The longest `rootSpanId` that a cursor has, in bytes of JSON. HTTP clients take 16 KB of headers, two of which have the cursor. */
const traceBytesMax = 1024;

const shortTrace = (rootSpanId: string): string | null =>
  Buffer.byteLength(JSON.stringify(rootSpanId)) > traceBytesMax ? null : rootSpanId;

const TransactionId = Type.String({ pattern: /^\d{1,19}$/ });
const Whole = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const Trace = Type.Union([Type.String(), Type.Null()]);
/** version, xactId, position, rootSpanId, members */
const Parts = [TransactionId, TransactionId, Whole, Trace, Type.Array(Whole)] as const;
/** With `nowMicros`, or with `asOfXactId`. */
const Content = Type.Union([
  Type.Tuple([...Parts]),
  Type.Tuple([...Parts, Whole]),
  Type.Tuple([...Parts, TransactionId]),
]);
const contentCheck = Compile(Content);

// As JSON, so that different parts never have the same text.
const codeOf =
  ({ secret, orgId }: CursorReader, { kind, of }: CursorUse): CodeOf =>
  (payload) =>
    createHmac('sha256', secret)
      .update(JSON.stringify([kind, of, orgId]))
      .update('\n')
      .update(payload)
      .digest()
      .subarray(0, codeBytes);

export function encodeCursor(
  cursor: PagePosition & PageVersion,
  reader: CursorReader,
  use: CursorUse,
): string {
  const { version, nowMicros, asOfXactId, xactId, position, rootSpanId, members = [] } = cursor;
  const now = nowMicros === undefined ? [] : [Number(nowMicros)];
  const lastPart = asOfXactId === undefined ? now : [String(asOfXactId)];
  const content = [
    String(version),
    String(xactId),
    position,
    shortTrace(rootSpanId),
    members,
    ...lastPart,
  ];
  return signedText(content, codeOf(reader, use));
}

/** Returns null if the text is not a cursor for this reader and this use. A server of another version may have written another form. */
export function decodeCursor(
  text: string,
  reader: CursorReader,
  use: CursorUse,
): PageCursor | null {
  const parts = partsOf(text, codeBytes, codeOf(reader, use));
  if (!contentCheck.Check(parts)) return null;
  const [versionText, xactText, position, rootSpanId, members, lastPart] = parts;
  const [version, xactId] = [idOf(versionText), idOf(xactText)];
  return { version, ...pageVersionOf(lastPart), xactId, position, rootSpanId, members };
}

function pageVersionOf(lastPart: number | string | undefined): Omit<PageVersion, 'version'> {
  if (lastPart === undefined) return {};
  return typeof lastPart === 'number'
    ? { nowMicros: BigInt(lastPart) }
    : { asOfXactId: idOf(lastPart) };
}

const largestId = 2n ** 63n - 1n;

/** Parses digits, also 16 of them, which elsewhere can be the short form of an id. */
function idOf(digits: string): bigint {
  const id = BigInt(digits);
  return id > largestId ? largestId : id;
}
