// Environment variables -> typed configuration, checked once at start. Nothing else reads them.
import { availableParallelism, totalmem } from 'node:os';
import { Type, type Static, type TSchema } from 'typebox';
import { Check } from 'typebox/value';

interface Setting<S extends TSchema = TSchema> {
  /** The environment variable. */
  readonly name: string;
  readonly schema: S;
  readonly default: Static<S>;
  /** How the README spells a default that depends on the machine or on other settings. */
  readonly defaultText?: string;
  /** What a valid value is, in words that complete "expected …". */
  readonly expected: string;
  readonly meaning: string;
  /** No error shows its value. */
  readonly isSecret?: boolean;
}

/** Of the machine, or of the container that the process is limited to, in MB. */
function memoryMb(): number {
  const limit = process.constrainedMemory();
  const bytes = limit > 0 ? Math.min(limit, totalmem()) : totalmem();
  return Math.floor(bytes / 2 ** 20);
}

const availableMb = memoryMb();

/** The parts of a small machine leave room for the process itself. */
const share = (part: number, mostMb: number): number =>
  Math.min(mostMb, Math.max(32, Math.floor(availableMb / part)));

const queryMb = availableMb < 2048 ? share(8, 256) : Math.floor(availableMb / 2);

const text = Type.String({ minLength: 1 });
const positive = Type.Integer({ minimum: 1 });
const notNegative = Type.Integer({ minimum: 0 });
const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

const positiveInteger = 'an integer of at least 1';
const notNegativeInteger = 'an integer of at least 0';

/** Every setting, in the order in which the README lists them. */
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
    schema: Type.Integer({ minimum: 0, maximum: 65_535 }),
    default: 8000,
    expected: 'an integer from 0 to 65535',
    meaning: 'port to listen on; 0 takes a free one',
  },
  dataDir: {
    name: 'EVALSTORE_DATA_DIR',
    schema: text,
    default: './data',
    expected: 'a directory',
    meaning: 'directory that holds everything the server stores',
  },
  apiKey: {
    name: 'EVALSTORE_API_KEY',
    schema: Type.Union([Type.String({ pattern: '^[\\x21-\\x7e]{16,}$' }), Type.Null()]),
    default: null,
    defaultText: 'generated at the first start and printed once',
    expected: '16 or more printable ASCII characters without spaces',
    isSecret: true,
    meaning: 'owner key; a new value replaces the one before',
  },
  org: {
    name: 'EVALSTORE_ORG',
    schema: text,
    default: 'evalstore',
    expected: 'a name',
    meaning: 'name of the organisation; a new value renames it',
  },
  publicUrl: {
    name: 'EVALSTORE_PUBLIC_URL',
    schema: Type.Union([Type.String({ pattern: '^https?://[^\\s/]+' }), Type.Null()]),
    default: null,
    defaultText: 'the address it listens on',
    expected: 'a URL that begins with http:// or https://',
    meaning:
      'base of the links in summaries, and the address that SDKs are told when they log in; without it the one that they used',
  },
  queryMemoryMb: {
    name: 'EVALSTORE_QUERY_MEMORY_MB',
    schema: positive,
    default: queryMb,
    defaultText: "half of the machine's memory, an eighth of less than 2 GB",
    expected: positiveInteger,
    meaning:
      'memory for queries, in MB; from 96 on, small reads have half as much of their own, 256 at most',
  },
  writerMemoryMb: {
    name: 'EVALSTORE_WRITER_MEMORY_MB',
    schema: positive,
    default: share(8, 512),
    defaultText: "512, or an eighth of the machine's memory when that is less",
    expected: positiveInteger,
    meaning: 'memory for writes, in MB',
  },
  flushRows: {
    name: 'EVALSTORE_FLUSH_ROWS',
    schema: positive,
    default: 50_000,
    expected: positiveInteger,
    meaning: 'rows that are buffered before they are written to segments',
  },
  flushSeconds: {
    name: 'EVALSTORE_FLUSH_SECONDS',
    schema: Type.Integer({ minimum: 1, maximum: 2_000_000 }),
    default: 300,
    expected: 'an integer from 1 to 2000000',
    meaning: 'longest time that a row is buffered, in seconds',
  },
  maintenanceMemoryMb: {
    name: 'EVALSTORE_MAINTENANCE_MEMORY_MB',
    schema: positive,
    default: share(4, 1024),
    defaultText: "1024, or a quarter of the machine's memory when that is less",
    expected: positiveInteger,
    meaning: 'memory for writing and merging segments, in MB',
  },
  queryThreads: {
    name: 'EVALSTORE_QUERY_THREADS',
    schema: positive,
    default: availableParallelism(),
    defaultText: 'the number of cores',
    expected: positiveInteger,
    meaning: 'threads that queries share',
  },
  queryTimeoutSeconds: {
    name: 'EVALSTORE_QUERY_TIMEOUT_SECONDS',
    schema: positive,
    default: 60,
    expected: positiveInteger,
    meaning: 'longest run of one query, in seconds',
  },
  queryConcurrency: {
    name: 'EVALSTORE_QUERY_CONCURRENCY',
    schema: positive,
    default: availableParallelism(),
    defaultText: 'the number of cores',
    expected: positiveInteger,
    meaning: 'queries that run at the same time; small ones are not counted',
  },
  queryQueue: {
    name: 'EVALSTORE_QUERY_QUEUE',
    schema: notNegative,
    default: 64,
    expected: notNegativeInteger,
    meaning: 'queries that may wait; one more is answered with 429',
  },
  queryRows: {
    name: 'EVALSTORE_QUERY_ROWS',
    schema: notNegative,
    default: 0,
    expected: notNegativeInteger,
    meaning: 'most rows of the answer to one query; 0 sets no limit',
  },
  bodyLimitMb: {
    name: 'EVALSTORE_BODY_LIMIT_MB',
    schema: notNegative,
    default: 256,
    expected: notNegativeInteger,
    meaning: 'largest request body, in MB; 0 sets no limit but EVALSTORE_BODIES_MEMORY_MB',
  },
  bodiesMemoryMb: {
    name: 'EVALSTORE_BODIES_MEMORY_MB',
    schema: positive,
    default: share(8, 512),
    defaultText: "512, or an eighth of the machine's memory when that is less",
    expected: positiveInteger,
    meaning:
      'memory for the bodies of all requests at a time, in MB; one more is answered with 503, and none may be larger',
  },
  attachmentLimitMb: {
    name: 'EVALSTORE_ATTACHMENT_LIMIT_MB',
    schema: notNegative,
    default: 1024,
    expected: notNegativeInteger,
    meaning: 'largest attachment, in MB; 0 sets no limit',
  },
  rateLimit: {
    name: 'EVALSTORE_RATE_LIMIT',
    schema: notNegative,
    default: 0,
    expected: notNegativeInteger,
    meaning:
      'requests per second of one key, and of one address without a valid key; a query counts as 10, each MB of a body as one more; 0 sets no limit; `/health` has none',
  },
  rateBurst: {
    name: 'EVALSTORE_RATE_BURST',
    schema: notNegative,
    default: 0,
    defaultText: 'EVALSTORE_RATE_LIMIT',
    expected: notNegativeInteger,
    meaning: 'requests that may come at once, after a time with fewer than EVALSTORE_RATE_LIMIT',
  },
  wrongKeys: {
    name: 'EVALSTORE_WRONG_KEYS',
    schema: notNegative,
    default: 100,
    expected: notNegativeInteger,
    meaning:
      'requests with wrong keys in a minute from one address; after more, it gets 429 but with keys that it used before; 0 sets no limit',
  },
  stallSeconds: {
    name: 'EVALSTORE_STALL_SECONDS',
    schema: Type.Integer({ minimum: 1, maximum: 2_000_000 }),
    default: 60,
    expected: 'an integer from 1 to 2000000',
    meaning:
      'longest time in which a client sends nothing of a body, or takes nothing of an answer, in seconds; its connection is closed then',
  },
  shutdownSeconds: {
    name: 'EVALSTORE_SHUTDOWN_SECONDS',
    schema: Type.Integer({ minimum: 0, maximum: 2_000_000 }),
    default: 10,
    expected: 'an integer from 0 to 2000000',
    meaning: 'time that running requests have to end when the server is stopped, in seconds',
  },
  logLevel: {
    name: 'EVALSTORE_LOG_LEVEL',
    schema: Type.Union(logLevels.map((level) => Type.Literal(level))),
    default: 'info' as const,
    expected: `one of ${logLevels.join(', ')}`,
    meaning:
      'least severe log lines to write; they go to standard error as JSON, with `debug` one for each commit',
  },
} as const satisfies Record<string, Setting>;

type Settings = typeof settings;

export type Config = { readonly [K in keyof Settings]: Static<Settings[K]['schema']> };

/** Largest body of one request, in MB. */
export const bodyMegabytesMax = ({ bodyLimitMb, bodiesMemoryMb }: Config): number =>
  bodyLimitMb === 0 ? bodiesMemoryMb : Math.min(bodyLimitMb, bodiesMemoryMb);

/** A variable with a value that the server cannot start with. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

const isInteger = /^[+-]?\d+$/;

function readSetting(setting: Setting, given: string | undefined): unknown {
  if (given === undefined || given === '') return setting.default;
  const value = Type.IsInteger(setting.schema) && isInteger.test(given) ? Number(given) : given;
  if (!Check(setting.schema, value)) {
    const got = setting.isSecret === true ? '' : `, got "${given}"`;
    throw new ConfigError(`${setting.name}: expected ${setting.expected}${got}`);
  }
  return value;
}

/**
 * An empty variable counts as absent.
 * @throws ConfigError for the first value that is not valid
 */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  return Object.fromEntries(
    Object.entries(settings).map(([key, setting]) => [
      key,
      readSetting(setting, environment[setting.name]),
    ]),
  ) as Config;
}
