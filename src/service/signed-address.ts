// Signed URLs: a token in a URL that allows the upload or the download of one attachment for some time.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { Type, type Static } from 'typebox';
import { Compile } from 'typebox/compile';

/** The use that the URL permits. */
export type AddressUse = 'upload' | 'download';

export interface SignedRight {
  readonly orgId: string;
  readonly key: string;
  /** The name of the file. */
  readonly file: string;
  /** For a download: the content type of the answer. */
  readonly filename: string;
  readonly contentType: string;
  /** Milliseconds since 1970. */
  readonly expires: number;
}

const Payload = Type.Tuple([
  Type.String(),
  Type.String(),
  Type.String(),
  Type.String(),
  Type.String(),
  Type.Integer(),
]);
const payloadValidator = Compile(Payload);

const codeBytes = 32;

// The first line distinguishes the signed text from that of cursors, which use the same secret.
const codeOf = (payload: Buffer, use: AddressUse, secret: Uint8Array): Buffer =>
  createHmac('sha256', secret).update(`attachment ${use}\n`).update(payload).digest();

export function signRight(right: SignedRight, use: AddressUse, secret: Uint8Array): string {
  const { orgId, key, file, filename, contentType, expires } = right;
  const parts: Static<typeof Payload> = [orgId, key, file, filename, contentType, expires];
  const payload = Buffer.from(JSON.stringify(parts));
  return Buffer.concat([codeOf(payload, use, secret), payload]).toString('base64url');
}

/** Returns null for a text that was not signed here for this use. The caller checks the expiry. */
export function readRight(token: string, use: AddressUse, secret: Uint8Array): SignedRight | null {
  const bytes = Buffer.from(token, 'base64url');
  if (bytes.length <= codeBytes || bytes.toString('base64url') !== token) return null;
  const payload = bytes.subarray(codeBytes);
  if (!timingSafeEqual(codeOf(payload, use, secret), bytes.subarray(0, codeBytes))) return null;
  const parts: unknown = JSON.parse(payload.toString());
  if (!payloadValidator.Check(parts)) return null;
  const [orgId, key, file, filename, contentType, expires] = parts;
  return { orgId, key, file, filename, contentType, expires };
}
