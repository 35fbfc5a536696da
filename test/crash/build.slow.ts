// A build beside a running server: the server keeps the files that it was started from.
import { execFileSync } from 'node:child_process';
import { appendFile, cp, readdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { createProject } from '../support/objects.js';
import { startServer } from '../support/start-server.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { waitUntil } from '../support/wait-until.js';

const parts = ['src', 'grammar', 'package.json', 'tsconfig.json', 'build.sh', 'bundle.mjs'];
const loadedLate = [
  'duckdb/thread-entry.ts',
  'store/maintenance/flush-rows.ts',
  'service/query/arrow.ts',
];

describe('a build beside a running server', () => {
  const directory = temporaryDirectory();
  const build = () => execFileSync('npm', ['run', 'build'], { cwd: directory(), stdio: 'pipe' });
  const builds = async () =>
    (await readdir(directory())).filter((name) => name.startsWith('dist.'));

  it('leaves it every file that it loads later, and is left out when nothing changed', async () => {
    for (const part of parts)
      await cp(path.resolve(part), path.join(directory(), part), { recursive: true });
    await symlink(path.resolve('node_modules'), path.join(directory(), 'node_modules'));
    build();
    const first = await builds();
    build();
    expect(await builds()).to.deep.equal(first);

    const data = path.join(directory(), 'data');
    const server = await startServer({
      dir: data,
      entry: path.join(directory(), 'dist/server/evalstore.cjs'),
      environment: { EVALSTORE_FLUSH_ROWS: '1' },
    });
    try {
      for (const file of loadedLate)
        await appendFile(
          path.join(directory(), 'src', file),
          "\nthrow new Error('another build');\n",
        );
      build();
      expect(await builds()).to.have.length(2);
      const { id } = await createProject(server);
      const events = [{ id: 'a' }];
      await server.request('POST', `/v1/project_logs/${id}/insert`, { events });
      // By the thread that writes segments, which is started for the first one.
      const segments = path.join(data, 'segments');
      await waitUntil(
        'a segment is written',
        async () =>
          (await readdir(segments, { recursive: true })).some((name) => /\d\.parquet$/.test(name)),
        60_000,
      );
      const query = `select: id | from: project_logs('${id}')`;
      const answer = await server.request('POST', '/query', { query, fmt: 'arrow' });
      expect(answer.status, answer.text).to.equal(200);
    } finally {
      await server.stop();
    }
  });
});
