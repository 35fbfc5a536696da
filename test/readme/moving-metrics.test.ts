// Every metric that the alert rules and the dashboard name moves: an action of a client or an operator changes its value.
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { backdateDeletion } from '../support/backdated-deletion.js';
import { writeDisk } from '../support/disk-file.js';
import { openServer } from '../support/hosted-server.js';
import { longQuery, startQuery } from '../support/long-query.js';
import { createProject } from '../support/objects.js';
import type { TestServer } from '../support/start-server.js';
import { waitUntil } from '../support/wait-until.js';

interface Rules {
  readonly groups: readonly { readonly rules: readonly { readonly expr: string }[] }[];
}

interface Dashboard {
  readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[];
}

const deploy = (name: string) => readFile(`src/manual/deploy/${name}`, 'utf8');

const namesIn = (expressions: readonly string[]) =>
  expressions.flatMap((text) => text.match(/\b(?:evalstore|process)_\w+/g) ?? []);

/** The values of the series of a metric, those with all labels of `series`, added up. */
function valueOf(text: string, series: string): number {
  const [name = '', ...labels] = series.split(/[{,}]/).filter((part) => part !== '');
  const values = text
    .split('\n')
    .filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`))
    .filter((line) => labels.every((label) => line.includes(label)))
    .map((line) => Number(line.slice(line.lastIndexOf(' '))));
  return values.reduce((sum, value) => sum + value, 0);
}

const gigabyte = 2 ** 30;
const total = 1000 * gigabyte;
/** How long a value may take to move, in milliseconds. */
const patienceMs = 20_000;

describe('metrics of the alert rules and the dashboard', () => {
  let directory: string;
  const data = () => path.join(directory, 'data');
  const disk = () => path.join(directory, 'disk.json');
  /** The metrics that moved. */
  const moved = new Set<string>();
  let server: TestServer;
  let key: string;
  let projectId: string;

  const start = async (environment: Readonly<Record<string, string>>) => {
    server = await openServer({
      dir: data(),
      environment: { EVALSTORE_QUERY_CONCURRENCY: '1', EVALSTORE_QUERY_QUEUE: '1', ...environment },
      tuning: { diskFile: disk(), compaction: { fanOut: 2 } },
    });
  };
  const scrape = async () => (await server.request('GET', '/metrics', undefined, { key })).text;
  const insert = (event: object) =>
    server.request('POST', `/v1/project_logs/${projectId}/insert`, { events: [event] });

  /** Fails unless the action moves all these series. */
  async function expectMoved(series: readonly string[], act: () => Promise<unknown>) {
    const before = await scrape();
    await act();
    let still: readonly string[] = series;
    await waitUntil(
      'the values move',
      async () => {
        const now = await scrape();
        still = series.filter((each) => valueOf(now, each) === valueOf(before, each));
        return still.length === 0;
      },
      patienceMs,
    ).catch(() => expect(still).to.deep.equal([]));
    for (const each of series) moved.add(each.replace(/\{.*/, ''));
  }

  before(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'evalstore-'));
    await writeDisk(disk(), { free: gigabyte, total });
    await start({ EVALSTORE_DISK_RESERVE_MB: '256' });
    const made = await server.request('POST', '/v1/api_key', { name: 'm', scope: 'metrics' });
    key = made.json()['key'] as string;
    projectId = (await createProject(server)).id;
  });
  after(async () => {
    await server.stop();
    await rm(directory, { recursive: true });
  });

  it('move by an insert', () =>
    expectMoved(
      [
        'evalstore_project_events_total',
        'evalstore_project_event_bytes_total',
        'evalstore_buffered_rows',
        'evalstore_buffered_bytes',
        'evalstore_buffered_age_seconds',
        'evalstore_disk_reserve_bytes',
        'evalstore_request_duration_seconds_count{status="200"}',
        'evalstore_request_duration_seconds_bucket',
        'process_cpu_seconds_total',
        'process_resident_memory_bytes',
      ],
      () => insert({ id: 'a', input: 'x'.repeat(10_000) }),
    ));

  it('move by a refused insert', () =>
    expectMoved(
      [
        'evalstore_project_refused_requests_total',
        'evalstore_request_duration_seconds_count{status="400"}',
      ],
      () => server.request('POST', `/v1/project_logs/${projectId}/insert`, { events: 1 }),
    ));

  it('move by a flush', async () => {
    await insert({ id: 'a', input: 2 });
    await expectMoved(
      [
        'evalstore_project_segments',
        'evalstore_project_rows',
        'evalstore_project_superseded_rows',
        'evalstore_project_bytes',
        'evalstore_buffered_rows',
        'evalstore_maintenance_runs_total{task="flush"}',
        'evalstore_maintenance_last_duration_seconds{task="flush"}',
        'evalstore_maintenance_last_success_timestamp_seconds{task="flush"}',
      ],
      () => server.settle(),
    );
  });

  it('move by a merge', () =>
    expectMoved(
      [
        'evalstore_maintenance_runs_total{task="merge"}',
        'evalstore_maintenance_last_duration_seconds{task="merge"}',
        'evalstore_maintenance_last_success_timestamp_seconds{task="merge"}',
      ],
      async () => {
        for (const id of ['b', 'c', 'd']) {
          await insert({ id });
          await server.settle();
        }
      },
    ));

  it('move by a flush that fails, until the next succeeds', async () => {
    const temporary = path.join(data(), 'tmp');
    await insert({ id: 'e' });
    await rename(temporary, `${temporary}-away`);
    await writeFile(temporary, '');
    await expectMoved(
      [
        'evalstore_maintenance_failures_total{task="flush"}',
        'evalstore_maintenance_last_failure_timestamp_seconds{task="flush"}',
        'evalstore_request_duration_seconds_count{status="503"}',
      ],
      async () => {
        await server.settle();
        expect((await server.request('GET', '/ready')).status).to.equal(503);
      },
    );
    await rm(temporary);
    await rename(`${temporary}-away`, temporary);
    await waitUntil('it is ready', async () => {
      await server.settle();
      return (await server.request('GET', '/ready')).status === 200;
    });
  });

  it('move by queries that run, wait and are refused', async () => {
    const { text } = await longQuery(server);
    const started: { readonly id: string; readonly answer: Promise<unknown> }[] = [];
    await expectMoved(['evalstore_budget_used{budget="queries"}'], async () => {
      started.push(await startQuery(server, text));
    });
    await expectMoved(['evalstore_queries_waiting'], async () => {
      started.push(await startQuery(server, text));
    });
    await expectMoved(['evalstore_budget_refusals_total{budget="queries"}'], async () => {
      expect((await server.request('POST', '/query', { query: text })).status).to.equal(429);
    });
    for (const { id, answer } of started) {
      await server.request('DELETE', `/v1/queries/${id}`);
      await answer;
    }
  });

  it('move by a disk that fills', async () => {
    const file = path.join(directory, 'large');
    await expectMoved(['evalstore_free_bytes'], () => writeFile(file, Buffer.alloc(2 ** 24, 1)));
    await rm(file);
    await writeDisk(disk(), { free: gigabyte / 4, total });
    await expectMoved(['evalstore_budget_refusals_total{budget="disk"}'], () =>
      waitUntil('inserts are refused', async () => (await insert({ id: 'f' })).status === 503),
    );
    await writeDisk(disk(), { free: gigabyte, total });
  });

  it('move by a deletion, and by the purge that follows at a start', async () => {
    await expectMoved(['evalstore_deleted_bytes'], () =>
      server.request('DELETE', `/v1/project/${projectId}`),
    );
    await expectMoved(
      [
        'evalstore_deleted_bytes',
        'evalstore_folder_bytes{folder="segments"}',
        'evalstore_maintenance_runs_total{task="purge"}',
        'evalstore_maintenance_last_success_timestamp_seconds{task="purge"}',
      ],
      async () => {
        await server.stop();
        await backdateDeletion(data(), projectId);
        await start({ EVALSTORE_PURGE_DAYS: '2' });
      },
    );
  });

  it('are all that the files name', async () => {
    const { groups } = parse(await deploy('alerts.yml')) as Rules;
    const { panels } = JSON.parse(await deploy('dashboard.json')) as Dashboard;
    const alerts = namesIn(groups.flatMap(({ rules }) => rules.map(({ expr }) => expr)));
    const shown = namesIn(panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)));
    expect(alerts).to.have.length.above(6);
    expect(shown).to.have.length.above(20);
    expect([...alerts, ...shown].filter((name) => !moved.has(name))).to.deep.equal([]);
  });
});
