// The part of a file that the header `Range` of a request asks for.
import { abbreviated, RequestError } from '../errors.js';

export interface ByteRange {
  readonly first: number;
  /** The last byte is in the range. */
  readonly last: number;
}

/**
 * Null for the whole file, also for several ranges and for headers of another form, which a server may ignore.
 * @param length of the file
 * @throws RequestError 416 for a range without bytes of the file
 */
export function byteRange(header: string, length: number): ByteRange | null {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(header.trim().toLowerCase()) ?? [];
  const isSuffix = from === '';
  if (isSuffix && to === '') return null;
  const first = isSuffix ? Math.max(0, length - Number(to)) : Number(from);
  const end = isSuffix || to === '' ? Infinity : Number(to);
  if (end < first) return null;
  if (first >= length)
    throw new RequestError(
      416,
      `Range: expected a part of the ${length} bytes, got ${JSON.stringify(abbreviated(header))}`,
      { 'Content-Range': `bytes */${length}` },
    );
  return { first, last: Math.min(end, length - 1) };
}
