// A build beside a running server: the server keeps the files that it was started from.
import { execFileSync } from 'node:child_process';
import { appendFile, cp, readdir, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { createProject } from '../support/objects.js';
import { startServer } from '../support/start-server.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { waitUntil } from '../support/wait-until.js';

const parts = [
  'src',
  'grammar',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'build.sh',
  'bundle.mjs',
];
const loadedLate = [
  'duckdb/thread-entry.ts',
  'store/maintenance/flush-rows.ts',
  'store/read/answer/arrow-batches.ts',
];

describe('a build beside a running server', () => {
  const directory = temporaryDirectory();
  const build = () => execFileSync('npm', ['run', 'build'], { cwd: directory(), stdio: 'pipe' });
  const builds = async () =>
    (await readdir(directory())).filter((name) => name.startsWith('dist.'));

  const copySources = async () => {
    for (const part of parts)
      await cp(path.resolve(part), path.join(directory(), part), { recursive: true });
    await symlink(path.resolve('node_modules'), path.join(directory(), 'node_modules'));
  };
  /** Whether a build does anything. */
  const runs = async () => {
    const built = path.join(directory(), 'dist/built');
    const { mtimeMs } = await stat(built);
    build();
    return (await stat(built)).mtimeMs > mtimeMs;
  };

  it('runs if a file was written or removed, and leaves the server every file that it loads later', async () => {
    await copySources();
    build();
    expect(await runs(), 'nothing changed').to.equal(false);
    const added = path.join(directory(), 'src/text/added.ts');
    await writeFile(added, 'export {};\n');
    await utimes(added, 0, 0);
    expect(await runs(), 'a file was added, with an old time').to.equal(true);
    await rm(added);
    expect(await runs(), 'a file was removed').to.equal(true);
    const first = await builds();
    await utimes(path.join(directory(), 'src/cli/main.ts'), new Date(), new Date());
    expect(await runs(), 'a file has a new time').to.equal(true);
    expect(await builds()).to.deep.equal(first);
    expect(await runs(), 'nothing changed again').to.equal(false);

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
      expect(await builds()).to.have.length(first.length + 1);
      const { id } = await createProject(server);
      const events = [{ id: 'a' }];
      await server.request('POST', `/v1/project_logs/${id}/insert`, { events });
      // By the thread that writes segments, which is started for the first one.
      const segments = path.join(data, 'segments');
      await waitUntil('a segment is written', async () =>
        (await readdir(segments, { recursive: true })).some((name) => /\d\.parquet$/.test(name)),
      );
      const query = `select: id | from: project_logs('${id}')`;
      const answer = await server.request('POST', '/query', { query, fmt: 'arrow' });
      expect(answer.status, answer.text).to.equal(200);
    } finally {
      await server.stop();
    }
  });
});
