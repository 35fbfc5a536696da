// The table of settings: environment variables, and options of the command line.
import { BlockList, isIP, isIPv4 } from 'node:net';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { Type, type Static, type TSchema } from 'typebox';
import { bucketAddress } from './bucket/address.js';
import { queryMb, share } from './machine-memory.js';
import { trinoAddress } from './trino/address.js';

export interface Setting<S extends TSchema = TSchema> {
  /** The environment variable. */
  readonly name: string;
  readonly schema: S;
  readonly default: Static<S>;
  /** The default as the manual shows it, if it depends on the machine or on other settings. */
  readonly defaultText?: string;
  /** Describes a valid value; completes the error "expected …". */
  readonly expected: string;
  readonly meaning: string;
  /** Errors do not show the value. */
  readonly isSecret?: boolean;
}

const text = Type.String({ minLength: 1 });
const baseUrl = Type.Refine(
  Type.String({ pattern: '^https?://[^\\s/?#@]+(/[^\\s?#]*)?$' }),
  (url) => URL.canParse(url),
);
const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** The addresses and subnets in a text such as `127.0.0.1, 10.0.0.0/8`; null for other texts. */
export function addressList(given: string): BlockList | null {
  const list = new BlockList();
  for (const part of given.split(',')) {
    const [address = '', prefix, ...others] = part.trim().split('/');
    const family = isIPv4(address) ? 'ipv4' : 'ipv6';
    const bitsMax = family === 'ipv4' ? 32 : 128;
    const isPrefix =
      prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bitsMax);
    if (isIP(address) === 0 || !isPrefix || others.length > 0) return null;
    list.addSubnet(address, Number(prefix ?? bitsMax), family);
  }
  return list;
}

const atLeast = (minimum: number) => ({
  schema: Type.Integer({ minimum }),
  expected: `an integer of at least ${minimum}`,
});

const textOrNone = (isValid: (value: string) => boolean) =>
  Type.Union([Type.Refine(Type.String(), isValid), Type.Null()]);

const within = (minimum: number, maximum: number) => ({
  schema: Type.Integer({ minimum, maximum }),
  expected: `an integer from ${minimum} to ${maximum}`,
});

/** An eighth of the memory. */
const eighth = {
  ...atLeast(1),
  default: share(8, 512),
  defaultText: "512, or an eighth of the machine's memory if that is less",
};

/** One for each core. */
const forEachCore = {
  ...atLeast(1),
  default: availableParallelism(),
  defaultText: 'the number of cores',
};

/** All settings, in the order of the manual. */
export const settings = {
  host: {
    name: 'EVALSTORE_HOST',
    schema: text,
    default: '127.0.0.1',
    expected: 'a host name or address',
    meaning: 'address to listen on',
  },
  port: {
    name: 'EVALSTORE_PORT',
    ...within(0, 65_535),
    default: 8000,
    meaning: 'port to listen on; 0 selects a free port',
  },
  dataDir: {
    name: 'EVALSTORE_DATA_DIR',
    // The engine takes a question mark for the end of a path.
    schema: Type.Refine(text, (directory) => !path.resolve(directory).includes('?')),
    default: './data',
    expected: 'a directory without a question mark in its path',
    meaning: 'directory for all data of the server',
  },
  apiKey: {
    name: 'EVALSTORE_API_KEY',
    schema: Type.Union([Type.String({ pattern: '^[\\x21-\\x7e]{16,}$' }), Type.Null()]),
    default: null,
    defaultText: 'generated at the first start and printed once',
    expected: '16 or more printable ASCII characters without spaces',
    isSecret: true,
    meaning: 'API key of the first owner; a new value replaces the previous one',
  },
  org: {
    name: 'EVALSTORE_ORG',
    schema: Type.Union([text, Type.Null()]),
    default: null,
    defaultText: '`evalstore`',
    expected: 'a name',
    meaning:
      'name of the organisation; a new value renames it; without the variable, it keeps its name',
  },
  publicUrl: {
    name: 'EVALSTORE_PUBLIC_URL',
    schema: Type.Union([baseUrl, Type.Null()]),
    default: null,
    defaultText: 'the address to listen on',
    expected: 'a URL that begins with http:// or https://, without a user, a query or a fragment',
    meaning:
      'base URL of links in summaries and of signed URLs, and the address that SDKs get at login; by default SDKs and signed URLs have the address that was called',
  },
  queryMemoryMb: {
    name: 'EVALSTORE_QUERY_MEMORY_MB',
    ...atLeast(1),
    default: queryMb,
    defaultText: "half of the machine's memory; a quarter below 6 GB, an eighth below 2 GB",
    meaning:
      'memory for queries, in MB; if it is 96 or more, small queries get half as much in addition, at most 256',
  },
  writerMemoryMb: {
    name: 'EVALSTORE_WRITER_MEMORY_MB',
    ...eighth,
    meaning: 'memory for writes, in MB',
  },
  flushRows: {
    name: 'EVALSTORE_FLUSH_ROWS',
    ...atLeast(1),
    default: 50_000,
    meaning: 'number of buffered rows that triggers a flush to segments',
  },
  flushSeconds: {
    name: 'EVALSTORE_FLUSH_SECONDS',
    ...within(1, 2_000_000),
    default: 300,
    meaning: 'age at which buffered rows are flushed to segments, in seconds',
  },
  maintenanceMemoryMb: {
    name: 'EVALSTORE_MAINTENANCE_MEMORY_MB',
    ...atLeast(1),
    default: share(6, 1024),
    defaultText: "1024, or a sixth of the machine's memory if that is less",
    meaning:
      'memory for writing and merging segments, in MB; look-ups of ids get as much in addition, at most 512, and removals of events as much',
  },
  diskReserveMb: {
    name: 'EVALSTORE_DISK_RESERVE_MB',
    ...atLeast(0),
    default: 512,
    meaning:
      'free disk space that inserts leave for merges, deletions and the catalog, besides what a flush needs, in MB; at most a tenth of the disk; 0 means that inserts take the last byte',
  },
  historyDays: {
    name: 'EVALSTORE_HISTORY_DAYS',
    ...atLeast(0),
    default: 0,
    meaning:
      'days for which the versions of events are kept that a merge or a deletion superseded; older versions cannot be read; datasets keep all; 0 means for ever',
  },
  purgeDays: {
    name: 'EVALSTORE_PURGE_DAYS',
    ...atLeast(0),
    default: 0,
    meaning:
      'days after which the events of a deleted project are removed from disk for good; 0 means never',
  },
  queryThreads: {
    name: 'EVALSTORE_QUERY_THREADS',
    ...forEachCore,
    meaning: 'threads shared by all queries',
  },
  queryTimeoutSeconds: {
    name: 'EVALSTORE_QUERY_TIMEOUT_SECONDS',
    ...within(1, 2_000_000),
    default: 60,
    meaning: 'maximum run time of a query, in seconds',
  },
  queryConcurrency: {
    name: 'EVALSTORE_QUERY_CONCURRENCY',
    ...forEachCore,
    meaning: 'maximum number of concurrent queries; small ones do not count',
  },
  queryQueue: {
    name: 'EVALSTORE_QUERY_QUEUE',
    ...atLeast(0),
    default: 64,
    meaning: 'maximum number of waiting queries; if more wait, the key with the most gets 429',
  },
  queryRows: {
    name: 'EVALSTORE_QUERY_ROWS',
    ...atLeast(0),
    default: 0,
    meaning: 'maximum number of rows in an answer; 0 means no limit',
  },
  slowQueryMs: {
    name: 'EVALSTORE_SLOW_QUERY_MS',
    ...atLeast(0),
    default: 10_000,
    meaning:
      'milliseconds from which a query is logged and listed after its end, with the first 1,024 characters of its text; 0 means never',
  },
  bodyLimitMb: {
    name: 'EVALSTORE_BODY_LIMIT_MB',
    ...atLeast(0),
    default: 256,
    meaning: 'maximum size of a request body, in MB; 0 means EVALSTORE_BODIES_MEMORY_MB',
  },
  bodiesMemoryMb: {
    name: 'EVALSTORE_BODIES_MEMORY_MB',
    ...eighth,
    meaning:
      'memory for the bodies of all running requests, in MB, and maximum size of each; one user gets half, further bodies get 503',
  },
  attachmentLimitMb: {
    name: 'EVALSTORE_ATTACHMENT_LIMIT_MB',
    ...atLeast(0),
    default: 1024,
    meaning: 'maximum size of an attachment, in MB; 0 means no limit',
  },
  rateLimit: {
    name: 'EVALSTORE_RATE_LIMIT',
    ...atLeast(0),
    default: 0,
    meaning:
      'requests per second for each key, and for each address without a valid key; a query counts as 10, each MB of a body as one more; 0 means no limit; `/health` is exempt',
  },
  rateBurst: {
    name: 'EVALSTORE_RATE_BURST',
    ...atLeast(0),
    default: 0,
    defaultText: 'EVALSTORE_RATE_LIMIT',
    meaning: 'maximum burst of requests after a period below EVALSTORE_RATE_LIMIT',
  },
  wrongKeys: {
    name: 'EVALSTORE_WRONG_KEYS',
    ...atLeast(0),
    default: 100,
    meaning:
      'invalid keys per minute from one address; above that, the server answers 429 to this address, except for keys that worked there before; 0 means no limit',
  },
  trustedProxies: {
    name: 'EVALSTORE_TRUSTED_PROXIES',
    schema: Type.Union([
      Type.Refine(Type.String(), (value) => addressList(value) !== null),
      Type.Null(),
    ]),
    default: null,
    defaultText: 'none',
    expected: 'addresses or subnets with commas between them',
    meaning:
      'addresses and subnets of proxies, such as `127.0.0.1, 10.0.0.0/8`, whose header `X-Forwarded-For` is believed: limits apply to the addresses in it',
  },
  bucket: {
    name: 'EVALSTORE_BUCKET',
    schema: textOrNone((address) => bucketAddress(address) !== null),
    default: null,
    defaultText: 'none',
    expected: 'an address s3://bucket or s3://bucket/prefix',
    meaning:
      'S3 bucket to which the server copies its segments, [as `s3://bucket/prefix`](beyond-one-machine.md)',
  },
  bucketEndpoint: {
    name: 'EVALSTORE_BUCKET_ENDPOINT',
    schema: Type.Union([baseUrl, Type.Null()]),
    default: null,
    defaultText: 'Amazon S3',
    expected: 'a URL that begins with https://, or with http:// in a private network',
    meaning:
      'URL of another S3 service for EVALSTORE_BUCKET and the addresses `s3://` of [`evalstore backup` and `restore`](backup.md#to-a-bucket)',
  },
  tables: {
    name: 'EVALSTORE_TABLES',
    schema: Type.Enum(['on', 'off']),
    default: 'on',
    expected: 'on or off',
    meaning:
      'with a bucket, each project is [an Iceberg table](beyond-one-machine.md#tables) for query engines; `off` removes the tables',
  },
  trinoUrl: {
    name: 'EVALSTORE_TRINO_URL',
    schema: textOrNone((url) => trinoAddress(url) !== null),
    default: null,
    defaultText: 'none',
    expected: 'a URL such as https://user:password@host:8443',
    isSecret: true,
    meaning: 'URL of [a Trino cluster](trino.md)',
  },
  trinoCatalog: {
    name: 'EVALSTORE_TRINO_CATALOG',
    schema: text,
    default: 'evalstore',
    expected: 'a name',
    meaning: 'name of the Iceberg catalog in the Trino cluster',
  },
  clusterRows: {
    name: 'EVALSTORE_CLUSTER_ROWS',
    ...atLeast(0),
    default: 5_000_000,
    meaning: 'rows from which the Trino cluster answers a long query; 0: all that it can',
  },
  cacheGb: {
    name: 'EVALSTORE_CACHE_GB',
    ...atLeast(0),
    default: 0,
    meaning:
      'size of the segments on the disk, in GB; above it, those that are in EVALSTORE_BUCKET leave the disk, the least recently used first; 0 means that all stay',
  },
  fetchGb: {
    name: 'EVALSTORE_FETCH_GB',
    ...atLeast(0),
    default: 20,
    meaning: 'what one query may fetch from EVALSTORE_BUCKET, in GB',
  },
  stallSeconds: {
    name: 'EVALSTORE_STALL_SECONDS',
    ...within(1, 2_000_000),
    default: 60,
    meaning:
      'time without progress in a body or an answer after which the server closes the connection, in seconds',
  },
  shutdownSeconds: {
    name: 'EVALSTORE_SHUTDOWN_SECONDS',
    ...within(0, 2_000_000),
    default: 10,
    meaning: 'time that running requests get to finish when the server stops, in seconds',
  },
  logLevel: {
    name: 'EVALSTORE_LOG_LEVEL',
    schema: Type.Union(logLevels.map((level) => Type.Literal(level))),
    default: 'info' as const,
    expected: `one of ${logLevels.join(', ')}`,
    meaning:
      'minimum severity of log lines, which go to standard error as JSON; `debug` adds a line per commit',
  },
} as const satisfies Record<string, Setting>;

/** The option of the command line that sets it, such as `--data-dir`. */
export const flagOf = ({ name }: Pick<Setting, 'name'>): string =>
  `--${name.replace('EVALSTORE_', '').toLowerCase().replaceAll('_', '-')}`;
