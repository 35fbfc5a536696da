// The server as its own entry starts it, but no file of a segment that is in the bucket stays on the disk. Its argument is the checkout.
import path from 'node:path';

interface Built {
  readonly startServer: (
    config: object,
    log: object,
    tuning: object,
  ) => Promise<{ readonly url: string; readonly close: () => Promise<void> }>;
  readonly readConfig: (environment: NodeJS.ProcessEnv) => object;
  readonly pino: (options: object, to: object) => object;
}

const root = process.argv[2] ?? '';
const built = async (module: string) =>
  (await import(path.join(root, module))) as unknown as Built & { readonly default: Built };
const { startServer } = await built('dist/server/server.js');
const { readConfig } = await built('dist/src/config.js');
const { pino } = (await built('node_modules/pino/pino.js')).default;

const log = pino({ level: 'error' }, process.stderr);
const server = await startServer(readConfig(process.env), log, { cacheBytes: 1 });
process.once('SIGTERM', () => void server.close());
console.log(`evalstore listening on ${server.url}`);
