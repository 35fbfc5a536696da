// The content of files in logged values, which is base64.

/**
 * Returns null if the base64 is broken.
 * @param base64 as in JSON text
 */
export function blobOf(base64: string, contentType: string): Blob | null {
  let text: string;
  try {
    const plain = base64.includes('\\') ? (JSON.parse(`"${base64}"`) as string) : base64;
    text = atob(plain.replaceAll('-', '+').replaceAll('_', '/'));
  } catch {
    return null;
  }
  const bytes = new Uint8Array(text.length);
  for (let index = 0; index < text.length; index += 1) bytes[index] = text.charCodeAt(index);
  return new Blob([bytes], { type: contentType });
}

/** The number of bytes, without decoding them. */
export function bytesIn(base64: string): number {
  const padding = /=*$/.exec(base64.slice(-2))![0].length;
  return Math.floor((base64.length * 3) / 4) - padding;
}
