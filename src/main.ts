// Starts the server from the environment, and stops it when the process is asked to end.
import { pino } from 'pino';
import { ConfigError, readConfig, type Config } from './config.js';
import { isEngineError } from './duckdb/engine-error.js';
import { leaveProcess } from './duckdb/leave-process.js';
import { startServer, type RunningServer } from './server.js';

const standardError = 2;

/** One sentence for whoever started the server. */
function explain(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const isSaid = error instanceof ConfigError || isEngineError(error, 'locked');
  return isSaid ? message : `cannot start: ${message}`;
}

function stopOnSignal(server: RunningServer): void {
  const stop = () => {
    server.close().then(
      () => leaveProcess(),
      (error: unknown) => fail(`cannot stop cleanly: ${String(error)}`),
    );
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
}

function fail(sentence: string): void {
  process.stderr.write(`${sentence}\n`);
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
  fail(explain(error));
}
