// A place in the page order, and the opaque cursor text that carries it to the next request. A cursor carries a code of
// its content, its use and its reader under a secret: only what the server gave, to that reader for that use, is read.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { Type, type Static } from 'typebox';
import { Compile } from 'typebox/compile';

/** Where a page ended: the key of its last row in the page order. */
export interface PagePosition {
  readonly xactId: bigint;
  readonly rootSpanId: string;
  readonly position: number;
  /** Among the rows that `unpivot` makes of one event. */
  readonly members?: readonly number[];
}

/** `version` is the transaction id of the snapshot that all pages of one walk read. */
export interface PageCursor extends PagePosition {
  readonly version: bigint;
}

/** Whose cursors are written and read. */
export interface CursorReader {
  /** Of the data directory, 32 bytes. */
  readonly secret: Uint8Array;
  /** Id of the organisation that asks; null without a key. */
  readonly orgId: string | null;
}

/** What a cursor goes on with: the fetch of an object by its id, or a query by its text. */
export interface CursorUse {
  readonly kind: 'fetch' | 'query';
  readonly of: string;
}

const codeBytes = 16;

const TransactionId = Type.String({ pattern: /^\d{1,19}$/ });
const Whole = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
/** version, xactId, position, rootSpanId, members */
const Content = Type.Tuple([TransactionId, TransactionId, Whole, Type.String(), Type.Array(Whole)]);
const content = Compile(Content);

// JSON keeps the parts apart, whatever they hold.
const codeOf = (payload: Buffer, { secret, orgId }: CursorReader, { kind, of }: CursorUse) =>
  createHmac('sha256', secret)
    .update(JSON.stringify([kind, of, orgId]))
    .update('\n')
    .update(payload)
    .digest()
    .subarray(0, codeBytes);

export function encodeCursor(cursor: PageCursor, reader: CursorReader, use: CursorUse): string {
  const { version, xactId, position, rootSpanId, members = [] } = cursor;
  const parts: Static<typeof Content> = [
    String(version),
    String(xactId),
    position,
    rootSpanId,
    [...members],
  ];
  const payload = Buffer.from(JSON.stringify(parts));
  return Buffer.concat([codeOf(payload, reader, use), payload]).toString('base64url');
}

/** Null when the text is not a cursor that was made for this reader and this use. */
export function decodeCursor(
  text: string,
  reader: CursorReader,
  use: CursorUse,
): PageCursor | null {
  const bytes = Buffer.from(text, 'base64url');
  // The decoder passes over what is not base64url.
  if (bytes.length <= codeBytes || bytes.toString('base64url') !== text) return null;
  const payload = bytes.subarray(codeBytes);
  if (!timingSafeEqual(codeOf(payload, reader, use), bytes.subarray(0, codeBytes))) return null;
  return readContent(payload.toString());
}

/** Null for JSON that is no place, which a server of another version may have written. */
function readContent(text: string): PageCursor | null {
  const parts = parsed(text);
  if (!content.Check(parts)) return null;
  const [versionText, xactText, position, rootSpanId, members] = parts;
  const [version, xactId] = [idOf(versionText), idOf(xactText)];
  return { version, xactId, position, rootSpanId, members };
}

const largestId = 2n ** 63n - 1n;

/** Of digits alone: 16 of them are not the short spelling here. */
function idOf(digits: string): bigint {
  const id = BigInt(digits);
  return id > largestId ? largestId : id;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
