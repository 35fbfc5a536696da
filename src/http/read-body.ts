// Reads and decompresses a request body within the limits of size and memory.
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { createBrotliDecompress, createUnzip } from 'node:zlib';
import { RequestError, badRequest } from '../errors.js';
import type { Reservation } from './body-budget.js';

export interface SizeLimit {
  readonly bytesMax: number;
  /** The suffix of the error "the limit of … MB". */
  readonly of: string;
}

const tooLarge = ({ bytesMax, of }: SizeLimit) =>
  new RequestError(
    413,
    `the request body is larger than the limit of ${bytesMax / 2 ** 20} MB${of}`,
  );

const incomplete = () => badRequest('the request body ended before it was complete');

const falselyEncoded = () => badRequest('the request body does not match its content encoding');

const pieceBytes = 2 ** 16;

const decoders = {
  gzip: () => createUnzip({ chunkSize: pieceBytes }),
  'x-gzip': () => createUnzip({ chunkSize: pieceBytes }),
  deflate: () => createUnzip({ chunkSize: pieceBytes }),
  br: () => createBrotliDecompress({ chunkSize: pieceBytes }),
};

type Decoder = ReturnType<(typeof decoders)[keyof typeof decoders]>;

/** Returns null for a body that is not encoded. */
function decoderOf(request: IncomingMessage): Decoder | null {
  const encoding = (request.headers['content-encoding'] ?? '').toLowerCase();
  if (encoding === '' || encoding === 'identity') return null;
  if (Object.hasOwn(decoders, encoding)) return decoders[encoding as keyof typeof decoders]();
  throw new RequestError(
    415,
    `the content encoding ${JSON.stringify(encoding)} of the request body is not supported: expected gzip, deflate, br or identity`,
  );
}

/** Decodes the body; a truncated one is an error. */
async function* decoded(request: IncomingMessage, decoder: Decoder): AsyncGenerator<Buffer> {
  let received = 0;
  request.on('data', (chunk: Buffer) => (received += chunk.length));
  request.once('close', () => {
    if (!request.complete) decoder.destroy(incomplete());
  });
  try {
    yield* request.pipe(decoder);
  } catch (error) {
    throw error instanceof RequestError ? error : falselyEncoded();
  } finally {
    request.unpipe(decoder);
  }
  if (decoder.bytesWritten < received) throw falselyEncoded();
}

/** Iterates over the body without destroying the request at the end, which the request's own iterator does: the client would get no answer. */
async function* unencoded(request: IncomingMessage): AsyncGenerator<Buffer> {
  try {
    yield* request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  } catch {
    throw incomplete();
  }
}

/** Collects the chunks of a body within its limits. */
function collector(limit: SizeLimit, reservation: Reservation) {
  const chunks: Buffer[] = [];
  let length = 0;
  const take = (chunk: Buffer): void => {
    length += chunk.length;
    if (length > limit.bytesMax) throw tooLarge(limit);
    reservation.take(chunk.length);
    chunks.push(chunk);
  };
  return { chunks, take };
}

/** Reads by events, since an iterator costs more than the rest of reading a small body. */
const collectUnencoded = (
  request: IncomingMessage,
  limit: SizeLimit,
  reservation: Reservation,
): Promise<readonly Buffer[]> =>
  new Promise((resolve, reject) => {
    const { chunks, take } = collector(limit, reservation);
    let isDone = false;
    const refuse = (error: unknown) => {
      isDone = true;
      reject(error);
    };
    const breakOff = () => {
      if (!isDone) refuse(incomplete());
    };
    const receive = (chunk: Buffer) => {
      try {
        if (!isDone) take(chunk);
      } catch (error) {
        refuse(error);
      }
    };
    if (request.destroyed) {
      breakOff();
      return;
    }
    request.on('end', () => {
      isDone = true;
      resolve(chunks);
    });
    request.on('close', breakOff);
    // The event `close` follows.
    request.on('error', () => {});
    request.on('data', receive);
  });

async function collectDecoded(
  request: IncomingMessage,
  decoder: Decoder,
  limit: SizeLimit,
  reservation: Reservation,
): Promise<readonly Buffer[]> {
  const { chunks, take } = collector(limit, reservation);
  for await (const chunk of decoded(request, decoder)) take(chunk);
  return chunks;
}

/** The number of bytes to copy per turn of the event loop. */
const copiedBytes = 2 ** 23;

/** Joins the chunks, large bodies in steps: copying 100 MB takes about 50 ms. */
async function joined(chunks: readonly Buffer[]): Promise<Buffer> {
  const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  const whole = Buffer.allocUnsafeSlow(length);
  let end = 0;
  for (const chunk of chunks) {
    const start = end;
    end += chunk.copy(whole, start);
    if (Math.floor(start / copiedBytes) !== Math.floor(end / copiedBytes)) await setImmediate();
  }
  return whole;
}

/** Without the byte order mark, U+FEFF in UTF-8. */
const withoutMark = (bytes: Buffer): Buffer =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;

/** @throws RequestError 413 if the header Content-Length exceeds the limit */
function checkLength({ headers }: IncomingMessage, limit: SizeLimit): void {
  if (Number(headers['content-length'] ?? 0) > limit.bytesMax) throw tooLarge(limit);
}

/** @throws RequestError 413, 415 */
function sourceOf(request: IncomingMessage, limit: SizeLimit): AsyncIterable<Buffer> {
  checkLength(request, limit);
  const decoder = decoderOf(request);
  return decoder === null ? unencoded(request) : decoded(request, decoder);
}

function collect(
  request: IncomingMessage,
  limit: SizeLimit,
  reservation: Reservation,
  start: () => void,
): Promise<readonly Buffer[]> {
  checkLength(request, limit);
  const decoder = decoderOf(request);
  start();
  return decoder === null
    ? collectUnencoded(request, limit, reservation)
    : collectDecoded(request, decoder, limit, reservation);
}

/**
 * The body as it arrives, in chunks. Bytes that the caller does not read are received and discarded.
 * @param start called before the first byte is read, unless the headers are refused
 * @throws RequestError 400, 413, 415 for the body
 */
export async function* bodyChunks(
  request: IncomingMessage,
  limit: SizeLimit,
  start: () => void,
): AsyncGenerator<Buffer> {
  try {
    const source = sourceOf(request, limit);
    start();
    let length = 0;
    for await (const chunk of source) {
      length += chunk.length;
      if (length > limit.bytesMax) throw tooLarge(limit);
      yield chunk;
    }
  } finally {
    request.resume();
  }
}

/** Removes the byte order mark. @throws RequestError 400 if the bytes are not UTF-8 */
function textOf(bytes: Buffer): Buffer {
  const text = withoutMark(bytes);
  if (!isUtf8(text)) throw badRequest('the request body is not UTF-8');
  return text;
}

/**
 * The body, in UTF-8 and without a byte order mark when it is text. The rest of a refused body is received and discarded.
 * @param start called before the first byte is read, unless the headers are refused
 * @throws RequestError 400, 413, 415 for the body, 503 without memory for it
 */
export async function readBody(
  request: IncomingMessage,
  limit: SizeLimit,
  reservation: Reservation,
  isText: boolean,
  start: () => void,
): Promise<Buffer> {
  try {
    const chunks = await collect(request, limit, reservation, start);
    const bytes = chunks.length > 1 ? await joined(chunks) : (chunks[0] ?? Buffer.alloc(0));
    return isText ? textOf(bytes) : bytes;
  } catch (error) {
    request.resume();
    throw error;
  }
}
