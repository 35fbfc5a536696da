// A Trino cluster that the settings name: whether it is fit for queries, and what they would be there.
import { expect } from 'chai';
import type { Recorded } from '../cluster/recorded.js';
import { bucketName, bucketService } from '../support/bucket-service.js';
import { openServer } from '../support/hosted-server.js';
import { createExperiment, createProject } from '../support/objects.js';
import type { TestServer } from '../support/test-server.js';
import { waitUntil } from '../support/wait-until.js';
import { recordedCoordinator } from '../trino/recorded-coordinator.js';

interface Cluster {
  readonly name: string;
  readonly state: string;
  readonly reason: string | null;
  readonly checked: string | null;
}

const as = (answer: Recorded) => answer.rows;

const declined = (reason: string) => ({ state: 'agrees', route: 'server', reason, sql: null });

/** The state of the cluster once it is checked. */
async function checked(server: TestServer): Promise<Cluster> {
  const cluster = async () => (await server.get('/status'))['cluster'] as Cluster;
  await waitUntil('the cluster is checked', async () => (await cluster()).state !== 'checking');
  return cluster();
}

describe('a Trino cluster in the settings', () => {
  const bucket = bucketService();
  const closes: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closes.splice(0)) await close();
  });

  async function serverWith(url: string, more = {}): Promise<TestServer> {
    const environment = { EVALSTORE_TRINO_URL: url, EVALSTORE_TRINO_CATALOG: 'lake', ...more };
    const server = await openServer({ environment, tuning: {} });
    closes.push(() => server.stop());
    return server;
  }

  async function coordinator(altered = as): Promise<string> {
    const { url, close } = await recordedCoordinator(altered);
    closes.push(close);
    return url;
  }

  it('agrees if it answers as DuckDB does', async () => {
    const url = await coordinator();
    const server = await serverWith(url);
    const { checked: time, ...cluster } = await checked(server);
    expect(cluster).to.deep.equal({ name: new URL(url).host, state: 'agrees', reason: null });
    expect(Date.parse(time ?? '')).to.be.closeTo(Date.now(), 60_000);
  });

  it('differs if one value is another one, and the log says which', async () => {
    const url = await coordinator(({ name, rows }) =>
      name === 'sorted' ? [['other'], ...rows.slice(1)] : rows,
    );
    const server = await serverWith(url);
    const { state, reason } = await checked(server);
    expect(state).to.equal('differs');
    expect(reason).to.match(/ differs from DuckDB: sorted, row 0, id: "r\d+" is "other"$/);
    expect(server.log())
      .to.include('no query runs on the cluster: ')
      .and.to.include('sorted, row 0');
    expect(server.log()).to.not.include('secret');
  });

  it('is unavailable if it does not answer', async () => {
    const server = await serverWith('http://me:secret@127.0.0.1:9');
    const { state, reason } = await checked(server);
    expect([state, reason]).to.deep.equal([
      'unavailable',
      'the cluster 127.0.0.1:9 does not answer: bad port',
    ]);
    expect(server.log()).to.not.include('secret');
  });

  it('"explain" has the statement, or why there is none', async () => {
    const server = await serverWith(await coordinator(), {
      EVALSTORE_BUCKET: `s3://${bucketName}/cluster`,
      EVALSTORE_BUCKET_ENDPOINT: bucket().url,
    });
    await checked(server);
    const { id: project } = await createProject(server);
    const { id: other } = await createProject(server);
    const [{ id: a }, { id: b }] = [
      await createExperiment(server, project),
      await createExperiment(server, other),
    ];
    const explained = async (clauses: string, more = {}) => {
      const query = `${clauses} | from: experiment('${a}')`;
      const answer = await server.request('POST', '/query', { query, explain: true, ...more });
      return answer.json()['cluster'];
    };
    const measures = 'measures: avg(scores.s) as s';
    await server.insert(`experiment/${a}`, [{ id: 'x', scores: { s: 0.5 } }]);
    expect(await explained(measures)).to.deep.equal(declined('no table'));
    await server.settle();
    await waitUntil('the project has a table', async () =>
      String(((await explained(measures)) as { sql: string | null }).sql).startsWith('SELECT'),
    );
    const found = (await explained(`${measures} | filter: created > '2020-01-01'`)) as {
      route: string;
      reason: string;
      sql: string;
    };
    expect([found.route, found.reason]).to.deep.equal([
      'server',
      'a query that takes no more work than a page',
    ]);
    expect(found.sql)
      .to.include(`avg("scores/s")`)
      .and.to.include(` WHERE object_id IN ('${a}') AND (created >`)
      .and.to.match(
        new RegExp(`FROM "lake"\\."${project}"\\."events" FOR VERSION AS OF BIGINT '\\d+' WHERE`),
      );
    const day = 'dimensions: day(created) as day | measures: count(1) as n';
    expect(JSON.stringify(await explained(day, { tz_offset: 90 }))).to.include('-90');
    expect(await explained('measures: stddev(scores.s) as s')).to.deep.equal(
      declined('the aggregate stddev'),
    );
    expect(await explained(measures, { version: '1000192656880881099' })).to.deep.equal(
      declined('a version'),
    );
    const both = {
      query: `${measures} | from: experiment('${a}', '${b}')`,
      explain: true,
    };
    const answer = await server.request('POST', '/query', both);
    expect(answer.json()['cluster']).to.deep.equal(declined('several projects'));
    const prompts = { query: `select: id | from: project_prompts('${project}')`, explain: true };
    const ofPrompts = await server.request('POST', '/query', prompts);
    expect(ofPrompts.json()['cluster']).to.deep.equal(declined('no events'));
  });

  it('is null without one', async () => {
    const server = await openServer();
    closes.push(() => server.stop());
    expect((await server.get('/status'))['cluster']).to.equal(null);
    const { id } = await createProject(server);
    const asked = { query: `measures: count(1) as n | from: project_logs('${id}')`, explain: true };
    expect((await server.request('POST', '/query', asked)).json()).to.not.have.property('cluster');
  });
});
