// Signed texts: JSON behind an HMAC, as base64url. Page cursors, sessions and signed URLs are such texts. Each use has a code of
// its own, so a text that was signed for one use is not valid for another.
import { timingSafeEqual } from 'node:crypto';

/** The HMAC of a payload. Its length is the same for all payloads of a use. */
export type CodeOf = (payload: Buffer) => Buffer;

export function signedText(parts: readonly unknown[], codeOf: CodeOf): string {
  const payload = Buffer.from(JSON.stringify(parts));
  return Buffer.concat([codeOf(payload), payload]).toString('base64url');
}

/** The parts of a signed text; undefined if it was not signed with this code, whose length is `codeBytes`. */
export function partsOf(text: string, codeBytes: number, codeOf: CodeOf): unknown {
  const bytes = Buffer.from(text, 'base64url');
  // The decoder ignores characters that are not base64url.
  if (bytes.length <= codeBytes || bytes.toString('base64url') !== text) return undefined;
  const payload = bytes.subarray(codeBytes);
  if (!timingSafeEqual(codeOf(payload), bytes.subarray(0, codeBytes))) return undefined;
  try {
    return JSON.parse(payload.toString());
  } catch {
    return undefined;
  }
}
