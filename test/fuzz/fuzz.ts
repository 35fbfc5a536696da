// Many random queries against servers in different states of storage, and what came of them in words.
import * as fc from 'fast-check';
import { request, type Request } from './arbitrary-query.js';
import { checkRequest } from './check-request.js';
import { openCoverage, type Coverage } from './coverage.js';
import { openState, stateNames, type State } from './states.js';
import { Unspecified } from './text.js';

export interface Plan {
  readonly seed: number;
  readonly queries: number;
}

export interface Outcome {
  readonly coverage: Coverage;
  readonly queries: number;
  /** Queries with at least one row in their answer. */
  readonly answered: number;
  /** Queries that were not sent, because the documents leave their answer open. */
  readonly open: number;
  /** The smallest query found with a wrong answer in each state; empty when all are right. */
  readonly failures: readonly string[];
}

interface Tally {
  queries: number;
  answered: number;
  open: number;
}

export async function fuzz({ seed, queries }: Plan): Promise<Outcome> {
  const coverage = openCoverage();
  const tally: Tally = { queries: 0, answered: 0, open: 0 };
  const share = Math.ceil(queries / stateNames.length);
  const failures = await Promise.all(
    stateNames.map(async (name, index) => {
      const state = await openState(name, seed + 100 * index);
      try {
        return await fuzzState(state, { seed: seed + index, queries: share }, coverage, tally);
      } finally {
        await state.server.stop();
      }
    }),
  );
  return { coverage, ...tally, failures: failures.filter((failure) => failure !== null) };
}

async function fuzzState(
  state: State,
  { seed, queries }: Plan,
  coverage: Coverage,
  tally: Tally,
): Promise<string | null> {
  const details = await fc.check(
    fc.asyncProperty(request, (each) => checkOne(state, each, coverage, tally)),
    { seed, numRuns: queries, maxSkipsPerRun: 10, interruptAfterTimeLimit: 200_000 },
  );
  if (!details.failed) return null;
  return `seed ${seed}, path ${details.counterexamplePath}, after ${details.numRuns} queries:\n${String(details.errorInstance)}`;
}

async function checkOne(
  state: State,
  each: Request,
  coverage: Coverage,
  tally: Tally,
): Promise<void> {
  try {
    const { cells, rows } = await checkRequest(state, each);
    coverage.add(cells);
    tally.queries += 1;
    tally.answered += Number(rows > 0);
  } catch (error) {
    if (!(error instanceof Unspecified)) throw error;
    tally.open += 1;
    fc.pre(false);
  }
}
