// The built server with authentication and permissions off, for comparison alone: no header is read, no key is looked up, and
// everything is granted. The argument is the directory of the checkout.
import path from 'node:path';

const modules = path.join(process.argv[2] ?? '', 'dist/src');
// As the server's own entry does it, before anything else is loaded.
process.env['UV_THREADPOOL_SIZE'] ??= '32';

interface Opened {
  readonly url: string;
  close(): Promise<void>;
}

type Method = (...values: never[]) => unknown;
interface Class {
  readonly prototype: Record<string, Method>;
}

interface Modules {
  readonly readConfig: (environment: object) => { readonly logLevel: string };
  readonly openLog: (level: string) => unknown;
  readonly startServer: (config: object, log: unknown) => Promise<Opened>;
  readonly Accounts: Class;
  readonly Grants: Class;
}

const load = async <N extends keyof Modules>(file: string, name: N): Promise<Modules[N]> =>
  ((await import(path.join(modules, file))) as Modules)[name];

const [readConfig, openLog, startServer, accounts, grants] = await Promise.all([
  load('config.js', 'readConfig'),
  load('log.js', 'openLog'),
  load('server.js', 'startServer'),
  load('catalog/accounts.js', 'Accounts'),
  load('catalog/grants.js', 'Grants'),
]);

let known: unknown;
const principal = accounts.prototype['principal']!;
accounts.prototype['principal'] = function first(this: unknown, ...secret) {
  return (known ??= principal.apply(this, secret));
};
grants.prototype['allows'] = () => true;

const config = readConfig(process.env);
const server = await startServer(config, openLog(config.logLevel));
process.stdout.write(`listening on ${server.url}\n`);
process.once('SIGTERM', () => void server.close().then(() => process.exit(0)));
