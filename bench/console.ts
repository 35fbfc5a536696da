// npm run bench -- console --events 1000000: how long the pages of the console take, from the last input to the painted answer,
// beside the same requests without a browser. Writes the table of results/console.md.
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { closeConsole, openConsole } from './console/browser.js';
import { loadedStore } from './console/data.js';
import { measure, type Measured } from './console/measure.js';
import { isMissed, lineOf, writeReport } from './console/report.js';
import { tasks } from './console/tasks.js';
import { describeMachine } from './machine.js';

const root = path.join(fileURLToPath(new URL('..', import.meta.url)), '..');

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '50000' },
    rounds: { type: 'string', default: '5' },
    /** Keeps the generated events and the loaded store for later runs. */
    dir: { type: 'string', default: path.join(tmpdir(), 'evalstore-console') },
    /** Tasks with this in their names. */
    only: { type: 'string', default: '' },
    /** Prints the times of all requests, too. */
    requests: { type: 'boolean', default: false },
  },
});

const events = Number(values.events);
await mkdir(values.dir, { recursive: true });
const machine = await describeMachine(root);
const store = await loadedStore(root, values.dir, events);
const browser = await openConsole();
const measured: Measured[] = [];
// The first queries of a server load what all others use.
await measure(browser, store.server, tasks[1]!, 1);
try {
  for (const task of tasks.filter(({ name }) => name.includes(values.only))) {
    const result = await measure(browser, store.server, task, Number(values.rounds));
    measured.push(result);
    console.log(lineOf(result));
    if (values.requests || isMissed(result))
      for (const { name, inBrowser, alone } of result.requests)
        console.log(`    ${name}: ${Math.round(inBrowser)} ms, alone ${Math.round(alone)} ms`);
  }
} finally {
  await closeConsole(browser);
  await store.server.stop();
}
if (values.only === '')
  await writeReport(path.join(root, 'bench/results/console.md'), {
    events,
    rounds: Number(values.rounds),
    machine,
    loadSeconds: store.loadSeconds,
    measured,
  });
