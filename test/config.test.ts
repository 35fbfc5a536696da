import { expect } from 'chai';
import { ConfigError, readConfig, unknownSettings } from '../src/config.js';
import { settings } from '../src/settings.js';

describe('config', () => {
  it('needs no variable', () => {
    const config = readConfig({});
    expect(config).to.deep.include({
      host: '127.0.0.1',
      port: 8000,
      dataDir: './data',
      apiKey: null,
      publicUrl: null,
      bodyLimitMb: 256,
      rateLimit: 0,
      logLevel: 'info',
    });
    for (const key of Object.keys(settings)) expect(config).to.have.property(key);
  });

  it('finds variables that only look like settings', () => {
    const ofClients = { EVALSTORE_URL: 'x', EVALSTORE_KEY: 'x' };
    const environment = { EVALSTORE_PROT: '1', EVALSTORE_PORT: '1', PATH: 'x', ...ofClients };
    expect(unknownSettings(environment)).to.deep.equal(['EVALSTORE_PROT']);
  });

  it('reads every variable', () => {
    const config = readConfig({
      EVALSTORE_HOST: '0.0.0.0',
      EVALSTORE_PORT: '0',
      EVALSTORE_DATA_DIR: '/srv/evalstore',
      EVALSTORE_API_KEY: '1234567890123456',
      EVALSTORE_ORG: '42',
      EVALSTORE_PUBLIC_URL: 'https://evals.example.org/base',
      EVALSTORE_QUERY_MEMORY_MB: '1000',
      EVALSTORE_WRITER_MEMORY_MB: '300',
      EVALSTORE_FLUSH_ROWS: '1000',
      EVALSTORE_FLUSH_SECONDS: '20',
      EVALSTORE_MAINTENANCE_MEMORY_MB: '400',
      EVALSTORE_DISK_RESERVE_MB: '0',
      EVALSTORE_HISTORY_DAYS: '60',
      EVALSTORE_PURGE_DAYS: '30',
      EVALSTORE_QUERY_THREADS: '3',
      EVALSTORE_QUERY_TIMEOUT_SECONDS: '5',
      EVALSTORE_QUERY_CONCURRENCY: '2',
      EVALSTORE_QUERY_QUEUE: '0',
      EVALSTORE_QUERY_ROWS: '5000',
      EVALSTORE_SLOW_QUERY_MS: '250',
      EVALSTORE_BODY_LIMIT_MB: '0',
      EVALSTORE_BODIES_MEMORY_MB: '700',
      EVALSTORE_ATTACHMENT_LIMIT_MB: '30',
      EVALSTORE_RATE_LIMIT: '10',
      EVALSTORE_RATE_BURST: '40',
      EVALSTORE_WRONG_KEYS: '6',
      EVALSTORE_TRUSTED_PROXIES: '127.0.0.1, fd00::/8',
      EVALSTORE_BUCKET: 's3://evals/production',
      EVALSTORE_BUCKET_ENDPOINT: 'http://minio:9000',
      EVALSTORE_TABLES: 'off',
      EVALSTORE_TRINO_URL: 'https://me:secret@trino:8443',
      EVALSTORE_TRINO_CATALOG: 'lake',
      EVALSTORE_CLUSTER_ROWS: '1000000',
      EVALSTORE_CACHE_GB: '100',
      EVALSTORE_FETCH_GB: '5',
      EVALSTORE_STALL_SECONDS: '7',
      EVALSTORE_SHUTDOWN_SECONDS: '0',
      EVALSTORE_LOG_LEVEL: 'warn',
    });
    expect(config).to.deep.equal({
      host: '0.0.0.0',
      port: 0,
      dataDir: '/srv/evalstore',
      apiKey: '1234567890123456',
      org: '42',
      publicUrl: 'https://evals.example.org/base',
      queryMemoryMb: 1000,
      writerMemoryMb: 300,
      flushRows: 1000,
      flushSeconds: 20,
      maintenanceMemoryMb: 400,
      diskReserveMb: 0,
      historyDays: 60,
      purgeDays: 30,
      queryThreads: 3,
      queryTimeoutSeconds: 5,
      queryConcurrency: 2,
      queryQueue: 0,
      queryRows: 5000,
      slowQueryMs: 250,
      bodyLimitMb: 0,
      bodiesMemoryMb: 700,
      attachmentLimitMb: 30,
      rateLimit: 10,
      rateBurst: 40,
      wrongKeys: 6,
      trustedProxies: '127.0.0.1, fd00::/8',
      bucket: 's3://evals/production',
      bucketEndpoint: 'http://minio:9000',
      tables: 'off',
      trinoUrl: 'https://me:secret@trino:8443',
      trinoCatalog: 'lake',
      clusterRows: 1_000_000,
      cacheGb: 100,
      fetchGb: 5,
      stallSeconds: 7,
      shutdownSeconds: 0,
      logLevel: 'warn',
    });
  });

  it('takes an empty variable for an absent one', () => {
    expect(readConfig({ EVALSTORE_PORT: '', EVALSTORE_API_KEY: '' })).to.deep.equal(readConfig({}));
  });

  const publicUrl =
    'a URL that begins with http:// or https://, without a user, a query or a fragment';
  const wrong: readonly (readonly [string, string, string])[] = [
    ['EVALSTORE_PORT', '80a', 'an integer from 0 to 65535'],
    ['EVALSTORE_PORT', '65536', 'an integer from 0 to 65535'],
    ['EVALSTORE_DATA_DIR', '/srv/a?b', 'a directory without a question mark in its path'],
    ['EVALSTORE_PUBLIC_URL', 'evals.example.org', publicUrl],
    ['EVALSTORE_PUBLIC_URL', 'http://[', publicUrl],
    ['EVALSTORE_PUBLIC_URL', 'http://evals example.org', publicUrl],
    ['EVALSTORE_PUBLIC_URL', 'https://me@evals.example.org', publicUrl],
    ['EVALSTORE_PUBLIC_URL', 'https://evals.example.org?x=1', publicUrl],
    ['EVALSTORE_PUBLIC_URL', 'https://evals.example.org#x', publicUrl],
    ['EVALSTORE_QUERY_MEMORY_MB', '0', 'an integer of at least 1'],
    ['EVALSTORE_WRITER_MEMORY_MB', '1.5', 'an integer of at least 1'],
    ['EVALSTORE_QUERY_THREADS', '-1', 'an integer of at least 1'],
    ['EVALSTORE_QUERY_TIMEOUT_SECONDS', 'soon', 'an integer from 1 to 2000000'],
    ['EVALSTORE_QUERY_TIMEOUT_SECONDS', '10000000', 'an integer from 1 to 2000000'],
    ['EVALSTORE_QUERY_CONCURRENCY', '0', 'an integer of at least 1'],
    ['EVALSTORE_QUERY_QUEUE', '-1', 'an integer of at least 0'],
    ['EVALSTORE_QUERY_ROWS', 'all', 'an integer of at least 0'],
    ['EVALSTORE_BODY_LIMIT_MB', '1e3', 'an integer of at least 0'],
    ['EVALSTORE_RATE_LIMIT', '-5', 'an integer of at least 0'],
    ...['localhost', '10.0.0.0/33', '10.0.0.0/', '::/129', '10.0.0.1,', '10.0.0.1/8/8'].map(
      (value) =>
        [
          'EVALSTORE_TRUSTED_PROXIES',
          value,
          'addresses or subnets with commas between them',
        ] as const,
    ),
    ['EVALSTORE_STALL_SECONDS', '0', 'an integer from 1 to 2000000'],
    ['EVALSTORE_SHUTDOWN_SECONDS', '-1', 'an integer from 0 to 2000000'],
    ['EVALSTORE_LOG_LEVEL', 'loud', 'one of trace, debug, info, warn, error, fatal, silent'],
  ];
  for (const [name, value, expected] of wrong) {
    it(`refuses ${name}=${value}`, () => {
      expect(() => readConfig({ [name]: value })).to.throw(
        ConfigError,
        `${name}: expected ${expected}, got "${value}"`,
      );
    });
  }

  for (const key of [
    'with a space in it',
    'x',
    'fifteen-letters',
    'sixteen-letters\n',
    'ä'.repeat(16),
  ])
    it(`refuses the key ${JSON.stringify(key)}, and does not show it`, () => {
      expect(() => readConfig({ EVALSTORE_API_KEY: key })).to.throw(
        ConfigError,
        /^EVALSTORE_API_KEY: expected 16 or more printable ASCII characters without spaces$/,
      );
    });

  it('refuses a URL of a cluster without showing its password', () => {
    for (const url of ['trino:secret@host', 'ftp://me:secret@host', 'https://me:secret@host/?x'])
      expect(() => readConfig({ EVALSTORE_TRINO_URL: url })).to.throw(
        ConfigError,
        /^EVALSTORE_TRINO_URL: expected a URL such as https:\/\/user:password@host:8443$/,
      );
  });

  it('says of every setting what it means', () => {
    for (const { name, meaning, expected } of Object.values(settings)) {
      expect(name).to.match(/^EVALSTORE_[A-Z_]+$/);
      expect(meaning).not.to.equal('');
      expect(expected).not.to.equal('');
    }
  });
});
