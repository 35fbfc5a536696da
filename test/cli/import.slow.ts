// Imports of files that are killed at random moments and begun again: every row once, nothing lost.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { evalstore } from '../support/command-line.js';
import { createProject } from '../support/objects.js';
import { newSeed } from '../support/seed.js';
import { sharedServer } from '../support/start-server.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const kills = 20;
const rows = 100_000;

describe('imports of files at length', () => {
  const server = sharedServer();
  const directory = temporaryDirectory();
  const seed = newSeed();

  it(`store every row once after ${kills} kills (SEED=${seed})`, async () => {
    const { id, name } = await createProject(server());
    const file = path.join(directory(), 'rows.jsonl');
    const text = 'x'.repeat(500);
    const lines = Array.from({ length: rows }, (_, input) =>
      JSON.stringify({ input, output: text }),
    );
    writeFileSync(file, lines.join('\n'));
    const begin = () =>
      spawn(process.execPath, [evalstore, 'import', file, '--project', name, '--logs'], {
        env: { ...process.env, EVALSTORE_URL: server().url, EVALSTORE_KEY: server().key },
        stdio: 'ignore',
      });
    for (const delay of fc.sample(fc.integer({ min: 200, max: 900 }), { numRuns: kills, seed })) {
      const running = begin();
      const ended = once(running, 'exit');
      await sleep(delay);
      running.kill('SIGKILL');
      await ended;
    }
    const [status] = (await once(begin(), 'exit')) as [unknown];
    expect(status).to.equal(0);
    const query = `measures: count(*) as rows, count_distinct(input) as inputs, sum(input) as total | from: project_logs('${id}')`;
    const { data } = (await server().post('/query', { query })) as { data: unknown };
    expect(data).to.deep.equal([{ rows, inputs: rows, total: (rows * (rows - 1)) / 2 }]);
  });
});
