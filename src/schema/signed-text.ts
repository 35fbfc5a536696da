// Signed texts: JSON behind an HMAC, as base64url. Page cursors, sessions and signed URLs are such texts. Each use has a code of
// its own, so a text that was signed for one use is not valid for another.
import { timingSafeEqual } from 'node:crypto';

/** The HMAC of a payload. Its length is the same for all payloads of a use. */
export type CodeOf = (payload: Buffer) => Buffer;

export function signedText(parts: readonly unknown[], codeOf: CodeOf): string {
  const payload = Buffer.from(JSON.stringify(parts));
  return Buffer.concat([codeOf(payload), payload]).toString('base64url');
}

/** The JSON text of a signed text; null if it was not signed with this code, whose length is `codeBytes`. */
export function payloadOf(text: string, codeBytes: number, codeOf: CodeOf): string | null {
  const bytes = Buffer.from(text, 'base64url');
  // The decoder ignores characters that are not base64url.
  if (bytes.length <= codeBytes || bytes.toString('base64url') !== text) return null;
  const payload = bytes.subarray(codeBytes);
  return timingSafeEqual(codeOf(payload), bytes.subarray(0, codeBytes)) ? payload.toString() : null;
}
