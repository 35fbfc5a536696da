// The machine's clock is set back by a day, and forward again, under a running server and between two starts.
import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { checkStore } from '../../src/store/check/check-store.js';
import { createProject, listObjects, namesOf } from '../support/objects.js';
import { startServer, type ServerProcess } from '../support/start-server.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { waitUntil } from '../support/wait-until.js';

const dayMs = 86_400_000;
const preload = fileURLToPath(new URL('../support/moved-clock.cjs', import.meta.url));

interface Event {
  readonly id: string;
  readonly _xact_id: string;
  readonly created: string;
}

describe('a clock that steps back', () => {
  const directory = temporaryDirectory();
  let server: ServerProcess;
  let where: string;
  let inserted: string[];

  const clockFile = () => path.join(directory(), 'clock');
  const move = (milliseconds: number) => writeFile(clockFile(), String(milliseconds));
  const dataDirectory = () => path.join(directory(), 'data');

  const start = () =>
    startServer({
      dir: dataDirectory(),
      environment: {
        NODE_OPTIONS: `--require ${preload}`,
        EVALSTORE_TEST_CLOCK: clockFile(),
        EVALSTORE_FLUSH_SECONDS: '2',
        EVALSTORE_RATE_LIMIT: '200',
      },
    });

  async function insert(count: number): Promise<void> {
    for (let number = 0; number < count; number++) {
      const id = `row ${inserted.length}`;
      await server.post(`${where}/insert`, { events: [{ id }] });
      inserted.push(id);
    }
  }

  const fetched = async () => (await server.get(`${where}/fetch`))['events'] as readonly Event[];

  /** In the order in which they were inserted, each once, with transactions that increase. */
  async function expectAll(): Promise<void> {
    const events = await fetched();
    expect(events.map(({ id }) => id).toReversed()).to.deep.equal(inserted);
    const xactIds = events.map(({ _xact_id }) => BigInt(_xact_id)).toReversed();
    for (const [index, xactId] of xactIds.entries())
      if (index > 0) expect(xactId > xactIds[index - 1]!).to.equal(true);
  }

  const saysOf = (text: RegExp) => waitUntil(`the log says ${text}`, () => text.test(server.log()));

  beforeEach(async () => {
    await move(0);
    inserted = [];
    server = await start();
    where = `/v1/project_logs/${(await createProject(server)).id}`;
  });
  afterEach(() => server.kill());

  it('leaves rows, their order, pages and versions as they are', async () => {
    await insert(20);
    const version = (await fetched())[0]!._xact_id;
    const first = await server.get(`${where}/fetch?limit=5`);
    await move(-dayMs);
    await insert(20);
    await expectAll();
    await saysOf(/the clock of the machine was set back by 86\d{3} s/);
    const cursor = encodeURIComponent(String(first['cursor']));
    const next = await server.get(`${where}/fetch?limit=50&cursor=${cursor}`);
    expect((next['events'] as unknown[]).length).to.equal(15);
    const past = await server.get(`${where}/fetch?version=${version}`);
    expect((past['events'] as unknown[]).length).to.equal(20);
    // Rows go into segments by a time that no clock can set.
    await waitUntil('segments', () => isFlushed());
    await expectAll();
    const merge = { id: 'row 0', output: 'later', _is_merge: true };
    await server.request('POST', `${where}/insert`, { events: [merge] });
    const [row] = await fetched();
    expect(row).to.deep.include({ id: 'row 0', output: 'later' });
  });

  const isFlushed = async (): Promise<boolean> => {
    const names = await readdir(path.join(dataDirectory(), 'segments'), { recursive: true });
    return names.some((name) => /\d\.parquet$/.test(name));
  };

  it('and a start after it go on behind what was stored', async () => {
    await insert(10);
    await server.kill();
    await move(-dayMs);
    server = await start();
    await insert(10);
    await expectAll();
    await server.kill();
    await move(0);
    server = await start();
    await insert(5);
    await expectAll();
    await server.stop();
    expect(await checkStore(dataDirectory())).to.deep.equal([]);
  });

  it('leaves the order of objects, and keys and sessions, whose times are those of the clock', async () => {
    const expires = new Date(Date.now() + 3_600_000).toISOString();
    const made = await server.request('POST', '/v1/api_key', { name: 'an hour', expires });
    const { id, key } = made.json() as { id: string; key: string };
    const status = async () => (await server.request('GET', '/ping', undefined, { key })).status;
    await createProject(server, { name: 'before' });
    await move(-dayMs);
    await createProject(server, { name: 'after' });
    const names = namesOf(await listObjects(server, '/v1/project'));
    expect(names.slice(0, 2)).to.deep.equal(['after', 'before']);
    expect(await status()).to.equal(200);
    const listed = await listObjects(server, `/v1/api_key?ids=${id}`);
    const lastUsed = Date.parse(String(listed[0]!['last_used']));
    expect(Math.abs(lastUsed - (Date.now() - dayMs))).to.be.below(3_600_000);
    await saysOf(/the clock of the machine was set back by 86\d{3} s/);
    await move(2 * 3_600_000);
    expect(await status()).to.equal(401);
    await saysOf(/the clock of the machine was set forward by 9\d{4} s/);
  });

  it('does not make anyone wait: rates are measured by a time that no clock can set', async () => {
    await move(-dayMs);
    for (let round = 0; round < 3; round++) {
      const answers = await Promise.all(
        Array.from({ length: 300 }, () => server.request('GET', '/ping')),
      );
      const refused = answers.filter(({ status }) => status === 429);
      for (const { headers } of refused)
        expect(Number(headers.get('retry-after'))).to.be.within(1, 5);
      await waitUntil(
        'the rate allows requests again',
        async () => (await server.request('GET', '/ping')).status === 200,
      );
    }
  });
});
