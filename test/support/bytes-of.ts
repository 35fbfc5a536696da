import type { FinishedBytes } from '../../src/store/event-store.js';

/** Reads finished bytes to their end. */
export async function bytesOf(content: FinishedBytes): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of content.chunks()) chunks.push(chunk);
  return new Uint8Array(Buffer.concat(chunks));
}
