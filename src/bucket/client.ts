// The objects of an S3 bucket below a prefix. An object is there as a whole or not at all.
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { S3Client } from '@aws-sdk/client-s3';
import { isInOwnNetwork, type BucketAddress } from './address.js';
import { BucketError, isPassing, toBucketError } from './errors.js';
import type * as Sdk from './sdk.js';

/** The SDK repeats requests, but neither those whose body is a stream, nor answers that break off: that is done here. */
const attempts = 3;
const pauseMs = 500;

/** Larger objects would have to be put in parts. */
const objectBytesMax = 5 * 2 ** 30;

const ignore = () => {};
/** Errors say what goes wrong. */
const logger = { debug: ignore, info: ignore, warn: ignore, error: ignore };

export interface ObjectContent {
  readonly bytes: number;
  /** An unsigned 32-bit integer. The service is told to verify it, and `head` returns it. */
  readonly crc32: number;
  /** Called for each attempt. */
  readonly open: () => Iterable<Buffer> | AsyncIterable<Buffer>;
}

export interface ObjectHead {
  readonly bytes: number;
  /** Null if something else than `put` stored the object. */
  readonly crc32: number | null;
}

export interface ListedObject {
  readonly key: string;
  readonly bytes: number;
}

/** In bytes. */
export interface ByteRange {
  readonly start: number;
  /** Behind the last byte. */
  readonly end: number;
}

export interface BucketOptions {
  /** The URL of another service than that of Amazon; it gets the bucket in the path. */
  readonly endpoint: string | null;
  /** How long a connection may be silent. */
  readonly silentMsMax?: number;
}

/** Keys are without the prefix. @throws BucketError with one sentence that names the bucket, and the key if there is one */
export class BucketClient {
  readonly name: string;
  readonly #address: BucketAddress;
  readonly #sdk: typeof Sdk;
  readonly #client: S3Client;
  readonly #closing = new AbortController();

  private constructor(address: BucketAddress, sdk: typeof Sdk, client: S3Client) {
    this.name = `s3://${address.bucket}/${address.prefix}`.replace(/\/$/, '');
    this.#address = address;
    this.#sdk = sdk;
    this.#client = client;
    this.#requireEncryption();
  }

  /** Sends nothing. The SDK finds the credentials: in the environment, in its files, or as a role of the machine. */
  static async open(
    address: BucketAddress,
    { endpoint, silentMsMax = 60_000 }: BucketOptions,
  ): Promise<BucketClient> {
    const sdk = await import('./sdk.js');
    const region = await new sdk.S3Client({ logger }).config.region().catch(() => 'us-east-1');
    const client = new sdk.S3Client({
      logger,
      region,
      ...(endpoint === null ? {} : { endpoint, forcePathStyle: true }),
      maxAttempts: attempts,
      // Whoever reads verifies the content; some services refuse the question for their checksum.
      responseChecksumValidation: 'WHEN_REQUIRED',
      requestHandler: { connectionTimeout: 10_000, socketTimeout: silentMsMax },
    });
    return new BucketClient(address, sdk, client);
  }

  /** Ends the requests that run. */
  close(): void {
    this.#closing.abort();
    this.#client.destroy();
  }

  /**
   * Replaces an object with the same key.
   * @throws what the content throws; the object is not stored then
   */
  async put(key: string, { bytes, crc32, open }: ObjectContent): Promise<void> {
    if (bytes > objectBytesMax)
      throw new BucketError(
        `${this.#where(key)}: an object has at most 5 GB, and this one would have ${(bytes / 2 ** 30).toFixed(1)}`,
      );
    const checksum = Buffer.alloc(4);
    checksum.writeUInt32BE(crc32);
    for (let attempt = 1; ; attempt += 1) {
      const body = Readable.from(open());
      // Nothing else would end the request.
      const failed = new AbortController();
      body.once('error', () => failed.abort());
      try {
        const command = new this.#sdk.PutObjectCommand({
          ...this.#object(key),
          Body: body,
          ContentLength: bytes,
          ChecksumCRC32: checksum.toString('base64'),
          Metadata: { crc32: checksum.toString('hex') },
        });
        const abortSignal = AbortSignal.any([failed.signal, this.#closing.signal]);
        await this.#client.send(command, { abortSignal });
        return;
      } catch (error) {
        if (body.errored !== null) throw body.errored;
        if (this.#isLast(attempt, error)) throw toBucketError(this.#where(key), error);
      } finally {
        body.destroy();
      }
      await pause(attempt * pauseMs);
    }
  }

  /** Asks at the first chunk. Without a range, all of the object; the content is not verified. */
  async *get(key: string, range?: ByteRange): AsyncGenerator<Buffer> {
    let start = range?.start ?? 0;
    for (let attempt = 1; ; attempt += 1) {
      try {
        const { Body } = await this.#client.send(
          new this.#sdk.GetObjectCommand({
            ...this.#object(key),
            ...(start === 0 && range === undefined
              ? {}
              : { Range: `bytes=${start}-${range === undefined ? '' : range.end - 1}` }),
          }),
          { abortSignal: this.#closing.signal },
        );
        for await (const chunk of Body as Readable as AsyncIterable<Buffer>) {
          start += chunk.length;
          yield chunk;
        }
        return;
      } catch (error) {
        if (this.#isLast(attempt, error)) throw toBucketError(this.#where(key), error);
      }
      await pause(attempt * pauseMs);
    }
  }

  /** Null if there is no such object. */
  async head(key: string): Promise<ObjectHead | null> {
    const command = new this.#sdk.HeadObjectCommand(this.#object(key));
    const abortSignal = this.#closing.signal;
    const found = await this.#client.send(command, { abortSignal }).catch((error: unknown) => {
      const failed = toBucketError(this.#where(key), error);
      if (failed.code === undefined) throw failed;
      return null;
    });
    if (found === null) return null;
    const sum = found.Metadata?.['crc32'];
    return { bytes: found.ContentLength!, crc32: sum === undefined ? null : parseInt(sum, 16) };
  }

  /** In the order of the keys. */
  async *list(prefix: string): AsyncGenerator<ListedObject> {
    const { bucket: Bucket, prefix: own } = this.#address;
    const pages = this.#sdk.paginateListObjectsV2(
      { client: this.#client },
      { Bucket, Prefix: own + prefix },
    );
    try {
      for await (const { Contents = [] } of pages)
        for (const { Key, Size } of Contents) yield { key: Key!.slice(own.length), bytes: Size! };
    } catch (error) {
      throw toBucketError(this.name, error);
    }
  }

  /** Does nothing if there is no such object. */
  async delete(key: string): Promise<void> {
    const command = new this.#sdk.DeleteObjectCommand(this.#object(key));
    const abortSignal = this.#closing.signal;
    await this.#client.send(command, { abortSignal }).catch((error: unknown) => {
      throw toBucketError(this.#where(key), error);
    });
  }

  #isLast(attempt: number, error: unknown): boolean {
    return attempt === attempts || this.#closing.signal.aborted || !isPassing(error);
  }

  #object(key: string) {
    return { Bucket: this.#address.bucket, Key: this.#address.prefix + key };
  }

  #where(key: string): string {
    return `s3://${this.#address.bucket}/${this.#address.prefix}${key}`;
  }

  /** Before a request is signed. The SDK has variables for the address of a service, too. */
  #requireEncryption(): void {
    const known = new Map<string, Promise<boolean>>();
    this.#client.middlewareStack.add(
      (next) => async (parameters) => {
        const { protocol, hostname } = parameters.request as Readonly<
          Record<'protocol' | 'hostname', string>
        >;
        if (protocol !== 'https:') {
          const isOwn = known.get(hostname) ?? isInOwnNetwork(hostname);
          known.set(hostname, isOwn);
          if (!(await isOwn))
            throw new BucketError(
              `${this.name}: ${hostname} is not in a private network, so its address has to begin with https://`,
            );
        }
        return next(parameters);
      },
      { step: 'build', name: 'requireEncryption' },
    );
  }
}
