// The server as its own entry starts it, with the settings of the store that are given as an argument.
import { existsSync } from 'node:fs';
import { pino } from 'pino';
import { readConfig } from '../../src/config.js';
import type * as Server from '../../src/server.js';
import { measuredIn } from './disk-file.js';
import type { ServerTuning } from './start-server.js';

// Copies of the build with a planted fault have no bundle.
const bundle = new URL('../../server/server.js', import.meta.url);
const module = existsSync(bundle) ? bundle : new URL('../../src/server.js', import.meta.url);
const { startServer } = (await import(module.href)) as typeof Server;

const { diesAt, diskFile, ...tuning } = JSON.parse(process.argv[2] ?? '{}') as ServerTuning;

const config = readConfig(process.env);
const log = pino({ level: config.logLevel, base: null }, pino.destination(2));
let left = diesAt?.times ?? 0;

const server = await startServer(config, log, {
  ...tuning,
  ...measuredIn(diskFile),
  hooks: {
    reached: (step) => {
      if (step === diesAt?.step && --left === 0) process.kill(process.pid, 'SIGKILL');
    },
  },
});
process.on('SIGUSR2', () => void server.settle().then(() => process.stdout.write('settled\n')));
process.once('SIGTERM', () => void server.close().then(() => process.exit(0)));
process.stdout.write(`evalstore listening on ${server.url}\n`);
