// `evalstore start`: starts the server, and stops it on SIGTERM and SIGINT.
import { ConfigError, readConfig, unknownSettings, type Flags } from '../config.js';
import { isEngineError } from '../duckdb/engine-error.js';
import { exitProcess } from '../duckdb/engine-thread.js';
import { inheritedSocket } from './inherited-socket.js';
import { openLog } from '../log.js';
import { refuseFewFiles } from '../open-files.js';
import { startServer, type RunningServer } from '../server.js';
import type { Context } from './context.js';

/** Signals within this time count as one: npm forwards a signal that the whole process group already got. */
const sameSignalMs = 500;

/** How long the process may go on after the second signal, in milliseconds. Every acknowledged write is on disk by then. */
const cleanEndMs = 5_000;

/** The message for an error at the start. */
function explain(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const isComplete = error instanceof ConfigError || isEngineError(error, 'locked');
  return isComplete ? message : `cannot start: ${message}`;
}

function fail(sentence: string, exitCode = 1): never {
  process.stderr.write(`${sentence}\n`);
  process.exit(exitCode);
}

let server: RunningServer | undefined;
let stoppingSince: number | undefined;
const atOnce = new AbortController();

/** The first signal lets running requests finish; a second one does not. */
function stop(): void {
  if (server === undefined) fail('stopped before it listened');
  if (stoppingSince !== undefined) {
    if (performance.now() - stoppingSince <= sameSignalMs || atOnce.signal.aborted) return;
    atOnce.abort();
    setTimeout(exitProcess, cleanEndMs).unref();
    return;
  }
  stoppingSince = performance.now();
  server.close(atOnce.signal).then(
    // After the last lines of the log.
    () => setImmediate(exitProcess),
    (error: unknown) => fail(`cannot stop cleanly: ${String(error)}`),
  );
}

function showKey(key: string): void {
  process.stdout.write(`API key, shown only this once: ${key}\n`);
}

/**
 * Starts the server and returns; the process ends when it is stopped. Prints why it cannot start.
 * @param flags settings that win over the environment
 */
export async function runServer({ environment }: Context, flags: Flags): Promise<void> {
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  try {
    refuseFewFiles();
    const config = readConfig(environment, flags);
    const log = openLog(config.logLevel);
    for (const name of unknownSettings(environment)) log.warn({ name }, 'unknown setting');
    const socket = inheritedSocket(environment, process.pid);
    server = await startServer(config, log, {}, showKey, socket);
    process.stdout.write(`evalstore listening on ${server.url}\n`);
  } catch (error) {
    fail(explain(error), error instanceof ConfigError ? 2 : 1);
  }
}
