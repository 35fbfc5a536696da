// An S3 service of the tests: s3rver behind a door that does what s3rver leaves out, and what a test plants. As with S3, an object whose
// body breaks off or has another checksum is not stored.
import { once } from 'node:events';
import { createServer, request as ask, type IncomingMessage, type ServerResponse } from 'node:http';
import { statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { crc32 } from 'node:zlib';

interface S3rver {
  run(): Promise<{ readonly port: number }>;
  close(): Promise<void>;
}

const S3rver = createRequire(import.meta.url)('s3rver') as new (options: object) => S3rver;

/** What a test plants: another answer, one that breaks off after some bytes, has a wrong bit or comes late, or none. */
export type Fault =
  | { readonly status: number; readonly body: string }
  | { readonly cutAt: number }
  /** The number of the byte that is another one in the request, and in the answer. */
  | { readonly flipped: number }
  | { readonly delayMs: number }
  | 'silence';

export type Plant = (request: IncomingMessage) => Fault | undefined;

export interface BucketService {
  readonly url: string;
  /** This process and the commands that it runs have it, too. */
  readonly environment: Readonly<Record<string, string>>;
  /** The file that s3rver keeps an object in. */
  fileOf(key: string): string;
  /** Begins with no requests. */
  plant(fault: Plant): void;
  /** Since the last fault was planted: `PUT /bucket/key`. */
  requests(): readonly string[];
  /** The bytes of bodies in both directions since then. */
  moved(): number;
}

export const bucketName = 'evals';

export const noFault: Plant = () => undefined;

/** The answer of a service that refuses. */
export const refusal = (status: number, code: string): Fault => ({
  status,
  body: `<?xml version="1.0"?><Error><Code>${code}</Code><Message>planted</Message></Error>`,
});

const isRight = (sum: string | string[] | undefined, body: Buffer): boolean =>
  sum === undefined || Buffer.from(String(sum), 'base64').readUInt32BE() === crc32(body);

const isFlipped = (fault: Fault | undefined): fault is { readonly flipped: number } =>
  typeof fault === 'object' && 'flipped' in fault;

async function bytesOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** s3rver answers a range of the last bytes with the first ones. Readers of Parquet ask for such ranges. */
function repairRange({ headers, url = '' }: IncomingMessage, directory: string): void {
  const [, count] = /^bytes=-(\d+)$/.exec(headers.range ?? '') ?? [];
  if (count === undefined) return;
  const [address = ''] = url.split('?');
  const file = `${directory}${decodeURIComponent(address)}._S3rver_object`;
  const { size } = statSync(file, { throwIfNoEntry: false }) ?? { size: 0 };
  headers.range = `bytes=${Math.max(0, size - Number(count))}-${Math.max(0, size - 1)}`;
}

async function pass(
  port: number,
  request: IncomingMessage,
  response: ServerResponse,
  planted: Fault | undefined,
  count: (bytes: number) => void,
): Promise<void> {
  const body = await bytesOf(request);
  count(body.length);
  const { expect: _, 'x-amz-checksum-crc32': sum, ...headers } = request.headers;
  if (isFlipped(planted) && planted.flipped < body.length) body[planted.flipped]! ^= 1;
  const fault = isRight(sum, body) ? planted : refusal(400, 'BadDigest');
  if (fault === 'silence') return;
  if (fault !== undefined && 'delayMs' in fault) await delay(fault.delayMs);
  if (fault !== undefined && 'status' in fault) {
    response.writeHead(fault.status, { 'content-type': 'application/xml' }).end(fault.body);
    return;
  }
  const { method, url } = request;
  const asked = ask({ port, method, path: url, headers }).end(body);
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  const content = await bytesOf(answer);
  count(content.length);
  if (isFlipped(fault) && fault.flipped < content.length) content[fault.flipped]! ^= 1;
  if (fault !== undefined && 'cutAt' in fault && content.length === 0) {
    response.destroy();
    return;
  }
  response.writeHead(answer.statusCode!, answer.headers);
  if (fault === undefined || !('cutAt' in fault)) response.end(content);
  else response.write(content.subarray(0, fault.cutAt), () => response.destroy());
}

/** What the SDK reads in the environment of its process. */
export const bucketCredentials = {
  AWS_ACCESS_KEY_ID: 'S3RVER',
  AWS_SECRET_ACCESS_KEY: 'S3RVER',
  // What the build does for the command.
  AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
} as const;

/** Call inside `describe`: one service for its tests, with one bucket. */
export function bucketService(): () => BucketService {
  let service: BucketService;
  let close: () => Promise<void>;
  before(async () => {
    const directory = await mkdtemp(path.join(tmpdir(), 'evalstore-bucket-'));
    const options = { port: 0, address: '127.0.0.1', silent: true, directory };
    const s3rver = new S3rver({ ...options, configureBuckets: [{ name: bucketName }] });
    const { port } = await s3rver.run();
    let planted: Plant = noFault;
    let requests: string[] = [];
    let moved = 0;
    const count = (bytes: number) => void (moved += bytes);
    const door = createServer((request, response) => {
      requests.push(`${request.method} ${request.url}`);
      repairRange(request, directory);
      pass(port, request, response, planted(request), count).catch(() => response.destroy());
    }).listen(0, '127.0.0.1');
    await once(door, 'listening');
    const url = `http://127.0.0.1:${(door.address() as AddressInfo).port}`;
    service = {
      url,
      environment: { EVALSTORE_BUCKET_ENDPOINT: url, ...bucketCredentials },
      fileOf: (key) => path.join(directory, bucketName, `${key}._S3rver_object`),
      plant: (fault) => {
        planted = fault;
        requests = [];
        moved = 0;
      },
      requests: () => requests,
      moved: () => moved,
    };
    Object.assign(process.env, service.environment);
    close = async () => {
      for (const name of Object.keys(service.environment)) delete process.env[name];
      door.close().closeAllConnections();
      await s3rver.close();
      await rm(directory, { recursive: true, force: true });
    };
  });
  after(() => close());
  return () => service;
}
