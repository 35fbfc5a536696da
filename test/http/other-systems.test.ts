// What the server takes from Linux and from glibc is absent on other systems.
import { expect } from 'chai';
import { fileURLToPath } from 'node:url';
import { readdirSync, readFileSync } from 'node:fs';
import { createProject } from '../support/objects.js';
import { startServer, type ServerProcess } from '../support/start-server.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const preload = fileURLToPath(new URL('../support/without-proc.cjs', import.meta.url));

describe('other systems', () => {
  const directory = temporaryDirectory();
  let server: ServerProcess | undefined;
  afterEach(() => server?.kill());

  const start = async () =>
    (server = await startServer({
      dir: directory(),
      tuning: {},
      environment: {
        NODE_OPTIONS: `--require ${preload}`,
        MALLOC_ARENA_MAX: undefined,
        MALLOC_MMAP_THRESHOLD_: undefined,
      },
    }));

  it('need no /proc, no priorities of threads and no settings of the allocator', async () => {
    const first = await start();
    const { id } = await createProject(first);
    const events = Array.from({ length: 500 }, (_, input) => ({ input }));
    await first.request('POST', `/v1/project_logs/${id}/insert`, { events });
    const count = async (running: ServerProcess) =>
      (
        await running.request('POST', '/query', {
          query: `measures: count(*) as n | from: project_logs('${id}')`,
        })
      ).json();
    expect(await count(first)).to.have.nested.property('data[0].n', 500);
    await first.settle();
    expect(readdirSync(`${directory()}/segments`)).not.to.deep.equal([]);
    expect(await first.stop()).to.deep.equal({ code: 0, signal: null });
    const second = await start();
    expect(await count(second)).to.have.nested.property('data[0].n', 500);
    expect(await second.stop()).to.deep.equal({ code: 0, signal: null });
  });

  it('have their packages in the lock file', () => {
    const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
      packages: Record<string, { optionalDependencies?: Record<string, string> }>;
    };
    const systems = /(linux|darwin)-(x64|arm64)/;
    const wanted = Object.values(packages)
      .flatMap(({ optionalDependencies = {} }) => Object.keys(optionalDependencies))
      .filter((name) => systems.test(name));
    expect(wanted).to.include.members([
      '@duckdb/node-bindings-darwin-arm64',
      '@duckdb/node-bindings-linux-arm64',
    ]);
    const locked = new Set(
      Object.keys(packages).map((path) => path.replace(/^.*node_modules\//, '')),
    );
    expect(wanted.filter((name) => !locked.has(name))).to.deep.equal([]);
  });
});
