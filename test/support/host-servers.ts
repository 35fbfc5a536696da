// Opens and closes servers in this process as the parent process asks for them, and passes on what they log.
import { pino } from 'pino';
import { readConfig } from '../../src/config.js';
import { exitProcess } from '../../src/duckdb/engine-thread.js';
import { startServer, type RunningServer } from '../../src/server.js';
import { measuredIn } from './disk-file.js';
import type { ServerTuning } from './test-server.js';

/** What the parent asks for; `server` is a number of its choice. */
export type HostRequest = { readonly server: number } & (
  | {
      readonly open: {
        readonly variables: NodeJS.ProcessEnv;
        readonly tuning: Omit<ServerTuning, 'diesAt'>;
      };
    }
  | { readonly settle: true }
  | { readonly close: true }
);

/** A line of a server's log, or how what was asked for it ended. */
export type HostReply = { readonly server: number } & (
  { readonly log: string } | { readonly done: string | null } | { readonly failed: string }
);

const servers = new Map<number, RunningServer>();

const reply = (message: HostReply) => process.send?.(message);

async function answer(request: HostRequest): Promise<string | null> {
  const { server: number } = request;
  if ('open' in request) {
    const { variables, tuning } = request.open;
    const config = readConfig(variables);
    const write = (log: string) => void reply({ server: number, log });
    const log = pino({ level: config.logLevel, base: null }, { write });
    const { diskFile, ...others } = tuning;
    const opened = await startServer(config, log, { ...others, ...measuredIn(diskFile) });
    servers.set(number, opened);
    return opened.url;
  }
  if ('settle' in request) await servers.get(number)?.settle();
  else {
    await servers.get(number)?.close();
    servers.delete(number);
  }
  return null;
}

process.on('message', (request: HostRequest) => {
  answer(request).then(
    (done) => reply({ server: request.server, done }),
    (error: unknown) => reply({ server: request.server, failed: String(error) }),
  );
});
process.once('disconnect', exitProcess);
