// Exports and imports that are killed and begun again, and an export beside inserts.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import * as fc from 'fast-check';
import type { ProjectManifest } from '../../src/cli/export/manifest.js';
import { evalstore } from '../support/command-line.js';
import { contentOf, fillProject } from '../support/exported-project.js';
import { createProject, listObjects } from '../support/objects.js';
import { newSeed } from '../support/seed.js';
import { sharedServer, type TestServer } from '../support/start-server.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const kills = 20;

const begin = ({ url, key }: TestServer, words: readonly string[]) =>
  spawn(process.execPath, [evalstore, ...words], {
    env: { ...process.env, EVALSTORE_URL: url, EVALSTORE_KEY: key },
    stdio: 'ignore',
  });

const statusOf = async (ended: ReturnType<typeof begin>): Promise<unknown> =>
  (await once(ended, 'exit'))[0];

const manifestIn = (directory: string) =>
  JSON.parse(readFileSync(path.join(directory, 'manifest.json'), 'utf8')) as ProjectManifest;

/** Runs the command to its end after it was killed at these moments, in milliseconds. */
async function killed(server: TestServer, words: readonly string[], delays: readonly number[]) {
  let interrupted = 0;
  for (const delay of delays) {
    const running = begin(server, words);
    const ended = once(running, 'exit');
    await sleep(delay);
    running.kill('SIGKILL');
    if ((await ended)[1] === 'SIGKILL') interrupted += 1;
  }
  expect(interrupted).to.be.above(0);
  expect(await statusOf(begin(server, words))).to.equal(0);
}

describe('exports and imports at length', () => {
  const server = sharedServer();
  const other = sharedServer();
  const directory = temporaryDirectory();
  const seed = newSeed();
  const to = (name: string) => path.join(directory(), name);

  const delays = (from: number, through: number) =>
    fc.sample(fc.integer({ min: from, max: through }), { numRuns: kills, seed });

  for (const format of ['jsonl', 'parquet'])
    it(`end as without ${kills} kills, as ${format} (SEED=${seed})`, async () => {
      const name = await fillProject(server());
      const words = (out: string) => ['export', '--project', name, '--format', format, '--to', out];
      await killed(server(), words(to('killed')), delays(100, 450));
      expect(await statusOf(begin(server(), words(to('whole'))))).to.equal(0);
      const { created } = manifestIn(to('killed'));
      expect(manifestIn(to('killed'))).to.deep.equal({ ...manifestIn(to('whole')), created });
      expect(readdirSync(to('killed'), { recursive: true })).to.have.members(
        readdirSync(to('whole'), { recursive: true }),
      );
      const copy = `copy of ${name}`;
      await killed(other(), ['import', to('killed'), '--project', copy], delays(100, 450));
      expect(await contentOf(other(), copy)).to.deep.equal(await contentOf(server(), name));
    });

  it('divide rows into files of whole transactions, as of one version beside inserts', async () => {
    const { id, name } = await createProject(server());
    const logs = `project_logs/${id}`;
    const insert = (batch: number, count: number) =>
      server().insert(
        logs,
        Array.from({ length: count }, (_, index) => ({ id: `${batch} ${index}` })),
      );
    for (const batch of [1, 2, 3]) await insert(batch, 15_000);
    const running = begin(server(), [
      'export',
      '--project',
      name,
      '--to',
      to('out'),
      '--format',
      'jsonl',
    ]);
    const ended = once(running, 'exit');
    // Each also writes rows of the first batch again.
    for (let batch = 4; running.exitCode === null; batch += 1) {
      await insert(batch, 100);
      await insert(1, 100);
    }
    expect(await ended).to.deep.equal([0, null]);
    const { version, events } = manifestIn(to('out'));
    const [{ files } = { files: [] }] = events;
    const exported = files.flatMap(({ path: file }) =>
      readFileSync(path.join(to('out'), file), 'utf8')
        .trimEnd()
        .split('\n'),
    );
    const query = `select: * | from: project_logs('${id}') | sort: _pagination_key`;
    const answer = await server().request('POST', '/query', { query, fmt: 'jsonl', version });
    expect(exported).to.deep.equal(answer.text.trimEnd().split('\n'));
    expect(files).to.have.length.above(1);
    expect(await statusOf(begin(other(), ['import', to('out')]))).to.equal(0);
    const list = `/v1/project?project_name=${encodeURIComponent(name)}`;
    const [copied] = await listObjects(other(), list);
    const count = `measures: count(*) as n | from: project_logs('${copied!.id}')`;
    expect(await other().query(count)).to.deep.equal([{ n: exported.length }]);
  });

  it('divide large rows by their bytes', async () => {
    const { id, name } = await createProject(server());
    const large = 'x'.repeat(12 * 2 ** 20);
    for (const row of ['a', 'b', 'c'])
      await server().insert(`project_logs/${id}`, [{ id: row, input: large }]);
    const words = ['export', '--project', name, '--to', to('out'), '--format', 'jsonl'];
    expect(await statusOf(begin(server(), words))).to.equal(0);
    const [{ files } = { files: [] }] = manifestIn(to('out')).events;
    expect(files.map(({ rows }) => rows)).to.deep.equal([2, 1]);
    const ids = files.flatMap(({ path: file }) =>
      Array.from(
        readFileSync(path.join(to('out'), file), 'utf8').matchAll(/^{"id":"(.)"/gm),
        ([, row]) => row,
      ),
    );
    expect(ids).to.deep.equal(['a', 'b', 'c']);
  });
});
