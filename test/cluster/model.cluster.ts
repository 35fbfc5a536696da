// Random histories of inserts, merges, deletions and removals against a server whose queries run on a cluster: the answers are the model's.
import { expect } from 'chai';
import * as fc from 'fast-check';
import { countsText, explore } from '../fuzz/model/explore.js';
import { bucketService } from '../support/bucket-service.js';
import { createExperiment, createProject } from '../support/objects.js';
import { newSeed } from '../support/seed.js';
import type { TestServer } from '../support/test-server.js';
import { openLake, outcome, type Lake } from './lake.js';

/** Most of their queries decline: they read versions, or paths with values of several types. */
const histories = 12;

/** Steps of a history whose events have paths of one type each, so that the cluster answers all of its queries. */
const steps = 60;

interface Kept {
  readonly steps: number;
  readonly tokens: number;
}

/** Changes an event of the model. Returns the event that has the server do the same. */
function change(model: Map<string, Kept>, id: string, kind: number, value: number): object {
  const known = model.get(id);
  if (kind === 0 && known !== undefined) {
    model.delete(id);
    return { id, _object_delete: true };
  }
  const own = { steps: value % 5, tokens: value };
  if (kind === 1 && known !== undefined) {
    model.set(id, { ...known, tokens: value });
    return { id, _is_merge: true, metrics: { tokens: value } };
  }
  model.set(id, own);
  return { id, metadata: { steps: own.steps }, metrics: { tokens: own.tokens } };
}

const totalsOn = (server: TestServer, experiment: string) =>
  server.query(
    `dimensions: metadata.steps as s | measures: count(1) as n, sum(metrics.tokens) as t | sort: s asc | from: experiment('${experiment}')`,
  );

const totalsOf = (model: ReadonlyMap<string, Kept>) =>
  [0, 1, 2, 3, 4].flatMap((s) => {
    const own = [...model.values()].filter((each) => each.steps === s);
    const t = own.reduce((sum, { tokens }) => sum + tokens, 0);
    return own.length === 0 ? [] : [{ s, n: own.length, t }];
  });

describe('server and model, with the queries on a cluster', () => {
  const bucket = bucketService();
  let lake: Lake;
  before(async () => {
    lake = await openLake({ port: 18_801, endpoint: bucket().url });
  });
  after(() => lake.stop());

  it('give the same answers', async () => {
    const seed = newSeed();
    const { server } = lake;
    const explored = await explore(server, { seed, histories, lanes: 4, isReduced: false });
    process.stdout.write(`      seed ${seed}:\n${countsText(explored)}\n`);
    expect(explored.failure, explored.failure ?? undefined).to.equal(null);
    await expectNoFailure();
  });

  it('give the same answers after each insert, merge and deletion', async () => {
    const { server } = lake;
    const seed = newSeed();
    process.stdout.write(`      seed ${seed}\n`);
    const random = fc.sample(fc.nat(999), { seed, numRuns: 3 * steps });
    const { id: project } = await createProject(server);
    const { id: experiment } = await createExperiment(server, project);
    const answered = await outcome(server, 'answered');
    const model = new Map<string, Kept>();
    for (let step = 0; step < steps; step++) {
      const [first = 0, kind = 0, value = 0] = random.slice(3 * step);
      const ids = Array.from({ length: 1 + (kind % 3) }, (_, index) => `r${(first + index) % 40}`);
      await server.insert(
        `experiment/${experiment}`,
        ids.map((id) => change(model, id, kind % 4, value)),
      );
      expect(await totalsOn(server, experiment), `step ${step}`).to.deep.equal(totalsOf(model));
    }
    expect((await outcome(server, 'answered')) - answered).to.equal(steps);
    await expectNoFailure();
  });

  async function expectNoFailure(): Promise<void> {
    for (const name of ['refused', 'failed', 'unreachable', 'exceeded'])
      expect(await outcome(lake.server, name), name).to.equal(0);
  }
});
