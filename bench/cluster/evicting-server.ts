// The built server with a disk that keeps no file of a segment once it is in the bucket: the setting counts in GB. The argument is the
// directory of the checkout.
import path from 'node:path';

const modules = path.join(process.argv[2] ?? '', 'dist/src');
// As the server's own entry does it, before anything else is loaded.
process.env['UV_THREADPOOL_SIZE'] ??= '32';

interface Modules {
  readonly readConfig: (environment: object) => { readonly logLevel: string };
  readonly openLog: (level: string) => unknown;
  readonly startServer: (
    config: object,
    log: unknown,
  ) => Promise<{ readonly url: string; close(): Promise<void> }>;
}

const load = async <N extends keyof Modules>(file: string, name: N): Promise<Modules[N]> =>
  ((await import(path.join(modules, file))) as Modules)[name];

const [readConfig, openLog, startServer] = await Promise.all([
  load('config.js', 'readConfig'),
  load('log.js', 'openLog'),
  load('server.js', 'startServer'),
]);

const config = readConfig(process.env);
const oneByte = 1e-9;
const server = await startServer({ ...config, cacheGb: oneByte }, openLog(config.logLevel));
process.stdout.write(`listening on ${server.url}\n`);
process.once('SIGTERM', () => void server.close().then(() => process.exit(0)));
