// A place in the page order, and the opaque cursor text that carries it to the next request.
import { createHash } from 'node:crypto';

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

const digestBytes = 9;

/** The digest makes damage, and use on another object, visible; it is no secret. */
const digest = (payload: Buffer, objectId: string) =>
  createHash('sha256').update(objectId).update(payload).digest().subarray(0, digestBytes);

export function encodeCursor(cursor: PageCursor, objectId: string): string {
  const fields = [
    String(cursor.version),
    String(cursor.xactId),
    cursor.position,
    cursor.rootSpanId,
    ...(cursor.members ?? []),
  ];
  const payload = Buffer.from(JSON.stringify(fields));
  return Buffer.concat([digest(payload, objectId), payload]).toString('base64url');
}

/** Null when the text is not a cursor that was made for this object. */
export function decodeCursor(text: string, objectId: string): PageCursor | null {
  const bytes = Buffer.from(text, 'base64url');
  const payload = bytes.subarray(digestBytes);
  if (!digest(payload, objectId).equals(bytes.subarray(0, digestBytes))) return null;
  const [version, xactId, position, rootSpanId, ...members] = JSON.parse(payload.toString()) as [
    string,
    string,
    number,
    string,
    ...number[],
  ];
  return { version: BigInt(version), xactId: BigInt(xactId), position, rootSpanId, members };
}
