// Starts the server from the environment, and stops it when the process is asked to end.
import { pino } from 'pino';
import { ConfigError, readConfig, type Config } from './config.js';
import { EngineError } from './duckdb/engine-error.js';
import { startServer, type RunningServer } from './server.js';

const standardError = 2;

const isSystemError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && 'syscall' in error;

/** One sentence for whoever started the server. */
function explain(error: unknown): string {
  if (error instanceof ConfigError) return error.message;
  if (error instanceof EngineError && error.kind === 'locked') return error.message;
  if (isSystemError(error)) return `cannot start: ${error.message}`;
  return `cannot start: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
}

function stopOnSignal(server: RunningServer): void {
  const stop = () => {
    server.close().then(
      () => process.exit(0),
      (error: unknown) => fail(error),
    );
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
}

function fail(error: unknown): void {
  process.stderr.write(`${explain(error)}\n`);
  process.exit(1);
}

function openLog(config: Config) {
  return pino({ level: config.logLevel, base: null }, pino.destination(standardError));
}

try {
  const config = readConfig(process.env);
  const server = await startServer(config, openLog(config));
  stopOnSignal(server);
  if (server.generatedKey !== null) {
    process.stdout.write(`API key, shown only this once: ${server.generatedKey}\n`);
  }
  process.stdout.write(`evalstore listening on ${server.url}\n`);
} catch (error) {
  fail(error);
}
