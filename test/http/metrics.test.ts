// The metrics of the server in the text format of Prometheus.
import { rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import type { ServerVersion } from '../../src/service/monitor/status.js';
import { openServer } from '../support/hosted-server.js';
import { createProject } from '../support/objects.js';
import { testKey, type TestServer } from '../support/start-server.js';
import { connectRaw, requestHead } from '../support/raw-connection.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { waitUntil } from '../support/wait-until.js';

const scrape = async ({ url }: TestServer): Promise<string> => {
  const answer = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${testKey}` } });
  expect(answer.headers.get('content-type')).to.equal('text/plain; version=0.0.4; charset=utf-8');
  return answer.text();
};

/** The samples by name and labels. */
const samplesOf = (text: string): ReadonlyMap<string, number> =>
  new Map(
    text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => {
        const space = line.lastIndexOf(' ');
        return [line.slice(0, space), Number(line.slice(space + 1))];
      }),
  );

const requests = (method: string, route: string, status: number | string) =>
  `evalstore_request_duration_seconds_count{method="${method}",route="${route}",status="${status}"}`;

describe('metrics', () => {
  const directory = temporaryDirectory();

  it('count requests by route and status, and have the state of the store', async () => {
    const server = await openServer({ dir: directory(), tuning: {} });
    const { id } = await createProject(server, { name: 'a "name"\n\\' });
    const path = `/v1/project_logs/${id}/insert`;
    await server.request('POST', path, { events: [{ id: 'a' }, { id: 'b' }] });
    await server.request('POST', path, { events: [{ id: 'a' }] });
    await server.request('POST', path, { events: 1 });
    await server.request('GET', '/nowhere');
    let samples = samplesOf(await scrape(server));
    await waitUntil('all are counted', async () => {
      samples = samplesOf(await scrape(server));
      return samples.get(requests('POST', '/v1/project_logs/{id}/insert', 400)) === 1;
    });
    expect(samples.get(requests('POST', '/v1/project_logs/{id}/insert', 200))).to.equal(2);
    expect([...samples.keys()].filter((name) => name.includes('nowhere'))).to.deep.equal([]);
    expect(samples.get('evalstore_buffered_rows')).to.equal(3);
    expect(samples.get('evalstore_buffered_bytes')).to.be.above(100);
    expect(samples.get('evalstore_budget_used{budget="queries"}')).to.equal(0);
    expect(samples.get('evalstore_queries_waiting')).to.equal(0);
    expect(samples.get('process_resident_memory_bytes')).to.be.above(1e7);
    expect(samples.get('process_cpu_seconds_total')).to.be.above(0);
    expect(samples.get('process_start_time_seconds')).to.be.below(Date.now() / 1000);
    const { version, commit } = (await server.get('/version')) as unknown as ServerVersion;
    const info = `evalstore_info{version="${version}",commit="${commit ?? ''}"}`;
    expect(samples.get(info)).to.equal(1);
    const ofProject = (name: string) =>
      samples.get(`evalstore_project_${name}{project_id="${id}",project="a \\"name\\"\\n\\\\"}`);
    expect(ofProject('rows')).to.equal(0);
    await server.settle();
    samples = samplesOf(await scrape(server));
    expect(samples.get('evalstore_buffered_rows')).to.equal(0);
    const counts = ['segments', 'rows', 'superseded_rows'].map(ofProject);
    expect(counts).to.deep.equal([1, 3, 1]);
    expect(ofProject('bytes')).to.be.above(100);
    await server.stop();
  });

  it('have the runs and failures of flushes, and the server is not ready while they fail', async () => {
    const dir = directory();
    const server = await openServer({ dir, tuning: {} });
    const { id } = await createProject(server);
    const flush = async (name: string) =>
      samplesOf(await scrape(server)).get(`evalstore_maintenance_${name}{task="flush"}`);
    expect(await flush('last_failure_timestamp_seconds')).to.equal(0);
    await server.insert(`project_logs/${id}`, [{ id: 'a' }]);
    const temporary = path.join(dir, 'tmp');
    await rename(temporary, `${temporary}-away`);
    await writeFile(temporary, '');
    const asked = Date.now() / 1000;
    await server.settle();
    const counts = async () => Promise.all(['runs_total', 'failures_total'].map(flush));
    expect(await counts()).to.deep.equal([1, 1]);
    expect(await flush('last_failure_timestamp_seconds')).to.be.within(asked, Date.now() / 1000);
    const refused = await server.request('GET', '/ready', undefined, { key: null });
    expect(refused.status).to.equal(503);
    expect(refused.text).to.match(
      /^not ready: the last flush failed at \S+Z, the log of the server/,
    );
    await rm(temporary);
    await rename(`${temporary}-away`, temporary);
    await waitUntil('it is ready', async () => {
      await server.settle();
      return (await server.request('GET', '/ready')).status === 200;
    });
    expect(await flush('failures_total')).to.be.at.least(1);
    expect(await flush('last_duration_seconds')).to.be.above(0);
    expect(await flush('seconds_total')).to.be.above(0);
    const samples = samplesOf(await scrape(server));
    expect(samples.get('evalstore_free_bytes')).to.be.above(0);
    await server.stop();
  });

  it('have what projects get and refuse, the oldest buffered row, and deleted projects', async () => {
    const started = Date.now();
    const server = await openServer({ dir: directory(), tuning: {} });
    const made = await server.request('POST', '/v1/api_key', { name: 'm', scope: 'metrics' });
    const key = made.json()['key'] as string;
    const read = async () =>
      samplesOf((await server.request('GET', '/metrics', undefined, { key })).text);
    const { id } = await createProject(server, { name: 'p' });
    const of = (name: string) => `evalstore_project_${name}{project_id="${id}",project="p"}`;
    let samples = await read();
    expect(samples.get(of('events_total'))).to.equal(0);
    expect(samples.get('evalstore_buffered_age_seconds')).to.equal(0);
    expect(samples.get('evalstore_budget_used{budget="connections"}')).to.be.above(0);
    await server.insert(`project_logs/${id}`, [{ id: 'a' }, { id: 'b' }]);
    await server.request('POST', `/v1/project_logs/${id}/insert`, { events: 1 });
    await waitUntil('it is a second old, and the refusal is counted', async () => {
      samples = await read();
      const isOld = samples.get('evalstore_buffered_age_seconds')! > 0;
      return isOld && samples.get(of('refused_requests_total')) === 1;
    });
    expect(samples.get(of('events_total'))).to.equal(2);
    expect(samples.get(of('event_bytes_total'))).to.be.above(100);
    await server.settle();
    await server.request('DELETE', `/v1/project/${id}`);
    samples = await read();
    expect(samples.get(of('bytes'))).to.be.above(100);
    const succeeded = 'evalstore_maintenance_last_success_timestamp_seconds{task="flush"}';
    expect(samples.get(succeeded)).to.be.within(started / 1000, Date.now() / 1000);
    await waitUntil('folders are measured', async () => {
      samples = await read();
      return samples.has('evalstore_folder_bytes{folder="segments"}');
    });
    expect(samples.get('evalstore_folder_bytes{folder="other"}')).to.be.above(1000);
    await server.stop();
  });

  it('count a request whose client disconnects before the answer', async () => {
    const server = await openServer({ dir: directory(), tuning: {} });
    const { id } = await createProject(server);
    const length = ['Content-Length: 9', 'Expect: 100-continue'];
    const headers = [`Authorization: Bearer ${testKey}`, ...length];
    const head = requestHead('POST', `/v1/project_logs/${id}/insert`, ...headers);
    const { socket, received } = await connectRaw(server.url, head);
    await waitUntil('the body is awaited', () => received().includes('100 Continue'));
    socket.destroy();
    await waitUntil('it is counted', async () =>
      samplesOf(await scrape(server)).has(
        requests('POST', '/v1/project_logs/{id}/insert', 'disconnected'),
      ),
    );
    await server.stop();
  });
});
