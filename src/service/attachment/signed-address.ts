// Signed URLs: a token in a URL that allows the upload or the download of one attachment for some time.
import { createHmac } from 'node:crypto';
import { Type, type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { partsOf, signedText, type CodeOf } from '../../schema/signed-text.js';

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
const codeOf =
  (use: AddressUse, secret: Uint8Array): CodeOf =>
  (payload) =>
    createHmac('sha256', secret).update(`attachment ${use}\n`).update(payload).digest();

export function signRight(right: SignedRight, use: AddressUse, secret: Uint8Array): string {
  const { orgId, key, file, filename, contentType, expires } = right;
  const parts: Static<typeof Payload> = [orgId, key, file, filename, contentType, expires];
  return signedText(parts, codeOf(use, secret));
}

/** Returns null for a text that was not signed here for this use. The caller checks the expiry. */
export function readRight(token: string, use: AddressUse, secret: Uint8Array): SignedRight | null {
  const parts = partsOf(token, codeBytes, codeOf(use, secret));
  if (!payloadValidator.Check(parts)) return null;
  const [orgId, key, file, filename, contentType, expires] = parts;
  return { orgId, key, file, filename, contentType, expires };
}
