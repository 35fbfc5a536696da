// What is asked of a server under a flood of hostile requests; the suites differ in how many.
import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { newSeed } from '../../support/seed.js';
import { waitUntil } from '../../support/wait-until.js';
import { checkStore } from '../../../src/store/check/check-store.js';
import { arbitraryRequest, type SentRequest } from './arbitrary-request.js';
import { attack } from './send.js';
import { openTargets, type Targets } from './targets.js';

const lanes = 4;

/** Of what was logged and should not have been. */
const linesShown = 5;

/** Memory may grow by as much after the first fifth of the requests: what they stored is small. */
const growthMaxMb = 400;
const restSeconds = 15;

interface Tally {
  readonly statuses: Map<number, number>;
  slowestMs: number;
}

const inMs = ({ slowestMs }: Tally): string => `${slowestMs.toFixed(0)} ms`;

/** Resident memory at rest: the least of several seconds, in which the server collects what it no longer uses. */
async function residentMb({ server }: Targets): Promise<number> {
  let least = Infinity;
  for (let second = 0; second < restSeconds; second += 1) {
    await setTimeout(1000);
    const status = await readFile(`/proc/${server.pid}/status`, 'utf8');
    least = Math.min(least, Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024);
  }
  return least;
}

const shown = ({ path: target, body, ...request }: SentRequest): string =>
  JSON.stringify({
    ...request,
    path: target.slice(0, 500),
    body: body?.toString('base64').slice(0, 4000),
  });

async function flood(targets: Targets, requests: number, seed: number, patienceMs: number) {
  const tally: Tally = { statuses: new Map(), slowestMs: 0 };
  const property = fc.asyncProperty(arbitraryRequest(targets), async (sent) => {
    const { status, milliseconds } = await attack(targets, sent, patienceMs);
    tally.statuses.set(status, (tally.statuses.get(status) ?? 0) + 1);
    tally.slowestMs = Math.max(tally.slowestMs, milliseconds);
  });
  const checks = await Promise.all(
    Array.from({ length: lanes }, (_, lane) =>
      fc.check(property, {
        seed: seed + lane,
        numRuns: Math.ceil(requests / lanes),
        endOnFailure: true,
      }),
    ),
  );
  const failures = checks
    .filter(({ failed }) => failed)
    .map(
      ({ errorInstance, counterexample }) =>
        `${String(errorInstance)}\n${counterexample === null ? '' : shown(counterexample[0])}`,
    );
  return { ...tally, failures };
}

/** Buffered rows for queries, until they are in segments; and copies of rows of segments, until nobody looks them up. */
const bufferedRows = /^rows-\d+-\d+\.parquet$/;
const copiedRows = /^\d+-\d+\.txt$/;
const bufferedFilesMax = 20;

/** The temporary files that should have been removed. */
async function leftFiles({ server }: Targets): Promise<readonly string[]> {
  const directory = path.join(server.dir, 'tmp');
  const files = (await readdir(directory, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);
  const buffered = files.filter((name) => bufferedRows.test(name));
  const others = files.filter((name) => !bufferedRows.test(name) && !copiedRows.test(name));
  return [...buffered.slice(bufferedFilesMax), ...others];
}

/** Of rows that were left out, their senders may not learn otherwise. */
const unexpectedLines = ({ server }: Targets): readonly string[] =>
  server
    .log()
    .split('\n')
    .filter((line) => line !== '' && !line.includes('rows of /logs3 were refused'));

export function hostileRequestsAreHarmless(requests: number, patienceMs: number): void {
  let targets: Targets;

  before(async () => {
    targets = await openTargets();
  });

  after(() => targets.close());

  it('are answered or refused, without a fault, a delay, a leak or growth', async () => {
    const seed = newSeed();
    process.stdout.write(`      seed ${seed}\n`);
    const first = await flood(targets, requests / 5, seed, patienceMs);
    expect(first.failures.join('\n')).to.equal('');
    const before = await residentMb(targets);
    process.stdout.write(`      after a fifth: slowest ${inMs(first)}; ${before.toFixed(0)} MB\n`);
    const rest = await flood(targets, (requests / 5) * 4, seed + lanes, patienceMs);
    expect(rest.failures.join('\n')).to.equal('');
    const after = await residentMb(targets);
    const statuses = [...rest.statuses].sort(([a], [b]) => a - b).map((each) => each.join(': '));
    process.stdout.write(
      `      in the end: slowest ${inMs(rest)}; ${after.toFixed(0)} MB; statuses ${statuses.join(', ')}\n`,
    );
    expect(after - before).to.be.below(growthMaxMb);
    expect((await targets.server.request('GET', '/health')).status).to.equal(200);
    expect(unexpectedLines(targets).slice(0, linesShown).join('\n')).to.equal('');
    let left: readonly string[] = [];
    await waitUntil('temporary files are removed', async () => {
      left = await leftFiles(targets);
      return left.length === 0;
    }).catch(() => {});
    expect(left).to.deep.equal([]);
    await targets.server.stop();
    expect(await checkStore(targets.server.dir)).to.deep.equal([]);
  }).timeout(3 * 3600_000);
}
