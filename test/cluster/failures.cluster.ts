// What goes wrong on a cluster: the answers stay right, and the cluster is used again when it can be.
import { rm } from 'node:fs/promises';
import { expect } from 'chai';
import { bucketService } from '../support/bucket-service.js';
import { createExperiment, createProject } from '../support/objects.js';
import { waitUntil } from '../support/wait-until.js';
import { keysIn } from '../support/bucket-store.js';
import { eventOf } from './events.js';
import { openLake, outcome, type Lake } from './lake.js';

const port = 18_811;
const count = 400;

describe('a cluster that fails', () => {
  const bucket = bucketService();
  let lake: Lake;
  let query: string;
  before(async () => {
    // A coordinator notices within about a minute that a worker is lost.
    const environment = { EVALSTORE_QUERY_TIMEOUT_SECONDS: '180' };
    lake = await openLake({ port, endpoint: bucket().url, environment });
    const { server } = lake;
    const { id: project } = await createProject(server);
    const { id: experiment } = await createExperiment(server, project);
    query = `dimensions: metadata.steps as s | measures: count(1) as n, sum(metrics.tokens) as t | from: experiment('${experiment}')`;
    const events = Array.from({ length: count }, (_, index) => eventOf(index));
    await server.insert(`experiment/${experiment}`, events);
    await server.settle();
  });
  after(() => lake.stop());

  const ask = async (more = {}) => lake.server.query(query, more);
  const state = async () =>
    ((await lake.server.get('/status'))['cluster'] as { readonly state: string }).state;
  const outcomes = async (...names: readonly string[]) =>
    Promise.all(names.map((name) => outcome(lake.server, name)));

  it('answers while nothing is wrong', async () => {
    const rows = await ask();
    expect(rows).to.have.length(5);
    expect(await outcomes('answered', 'failed')).to.deep.equal([1, 0]);
  });

  it('a worker that is killed takes no answer with it, and the other one goes on', async () => {
    const right = await ask();
    process.kill(lake.trino.pids.at(-1)!, 'SIGKILL');
    for (let times = 0; times < 3; times++) expect(await ask()).to.deep.equal(right);
    const [before = 0] = await outcomes('answered');
    await waitUntil('the other worker answers alone', async () => {
      expect(await ask()).to.deep.equal(right);
      const [now = 0] = await outcomes('answered');
      return now > before;
    });
    expect(await outcomes('refused', 'unreachable', 'exceeded')).to.deep.equal([0, 0, 0]);
  });

  it('an object that is missing in the bucket is read from the disk', async () => {
    const right = await ask();
    const prefix = `cluster-${port}`;
    for (const key of await keysIn(bucket(), prefix))
      if (/^segments\/.*\.parquet$/.test(key)) await rm(bucket().fileOf(`${prefix}/${key}`));
    const [before = 0] = await outcomes('failed');
    expect(await ask()).to.deep.equal(right);
    expect(await outcomes('failed')).to.deep.equal([before + 1]);
  });

  it('without a coordinator, the server answers, and asks it again later', async () => {
    const right = await ask();
    process.kill(lake.trino.pids[0]!, 'SIGKILL');
    expect(await ask()).to.deep.equal(right);
    expect(await outcomes('unreachable')).to.deep.equal([1]);
    expect(await state()).to.equal('unavailable');
    expect(await ask()).to.deep.equal(right);
    expect(await outcomes('unreachable')).to.deep.equal([1]);
  });
});
