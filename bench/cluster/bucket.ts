// An S3 service in the process of the benchmark, which counts the requests and the bytes that it answers with.
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { createServer, request as ask, type IncomingMessage, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import path from 'node:path';

export const bucketName = 'evals';

export interface Moved {
  /** By method. */
  readonly requests: Readonly<Record<string, number>>;
  /** Of the bodies of answers. */
  readonly bytes: number;
}

export interface BenchBucket {
  readonly environment: Readonly<Record<string, string>>;
  /** Of everything in the bucket. */
  readonly directory: string;
  /** Since the last call. */
  readonly moved: () => Moved;
  readonly close: () => Promise<void>;
}

interface S3rver {
  run(): Promise<{ readonly port: number }>;
  close(): Promise<void>;
}

/** s3rver answers a range of the last bytes with the first ones; readers of Parquet ask for such ranges. */
function repairRange({ headers, url = '' }: IncomingMessage, directory: string): void {
  const [, count] = /^bytes=-(\d+)$/.exec(headers.range ?? '') ?? [];
  if (count === undefined) return;
  const [address = ''] = url.split('?');
  const file = `${directory}${decodeURIComponent(address)}._S3rver_object`;
  const { size } = statSync(file, { throwIfNoEntry: false }) ?? { size: 0 };
  headers.range = `bytes=${Math.max(0, size - Number(count))}-${Math.max(0, size - 1)}`;
}

/** @param root the checkout that has the package of the service */
export async function openBucket(root: string, directory: string): Promise<BenchBucket> {
  const S3rver = createRequire(path.join(root, 'package.json'))('s3rver') as new (
    options: object,
  ) => S3rver;
  const options = { port: 0, address: '127.0.0.1', silent: true, directory };
  const service = new S3rver({ ...options, configureBuckets: [{ name: bucketName }] });
  const { port } = await service.run();
  const requests = new Map<string, number>();
  let bytes = 0;
  function pass(request: IncomingMessage, response: ServerResponse): void {
    const { method = '', url } = request;
    requests.set(method, (requests.get(method) ?? 0) + 1);
    repairRange(request, directory);
    const { expect: _, 'x-amz-checksum-crc32': _sum, ...headers } = request.headers;
    const asked = ask({ port, method, path: url, headers }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.on('data', (chunk: Buffer) => (bytes += chunk.length)).pipe(response);
    });
    asked.on('error', () => response.destroy());
    response.on('close', () => asked.destroy());
    request.pipe(asked);
  }
  const door = createServer(pass).listen(0, '127.0.0.1');
  await once(door, 'listening');
  return {
    environment: {
      EVALSTORE_BUCKET: `s3://${bucketName}/bench`,
      EVALSTORE_BUCKET_ENDPOINT: `http://127.0.0.1:${(door.address() as AddressInfo).port}`,
      AWS_ACCESS_KEY_ID: 'S3RVER',
      AWS_SECRET_ACCESS_KEY: 'S3RVER',
      AWS_REGION: 'us-east-1',
      AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
    },
    directory: path.join(directory, bucketName),
    moved: () => {
      const since = { requests: Object.fromEntries(requests), bytes };
      requests.clear();
      bytes = 0;
      return since;
    },
    close: async () => {
      door.close().closeAllConnections();
      await service.close();
    },
  };
}
