// Many random queries against servers in different states of storage, and what came of them in words.
import * as fc from 'fast-check';
import { request, type Request } from './arbitrary-query.js';
import { checkRequest } from './check-request.js';
import { openCoverage, type Coverage } from './coverage.js';
import { openState, type State, type StateName } from './states.js';
import { Unspecified } from './text.js';

export interface Plan {
  readonly seed: number;
  readonly queries: number;
  /** How the rows are stored that the queries, in equal parts, are about. */
  readonly states: readonly StateName[];
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

export async function fuzz({ seed, queries, states }: Plan): Promise<Outcome> {
  const coverage = openCoverage();
  const tally: Tally = { queries: 0, answered: 0, open: 0 };
  const share = Math.ceil(queries / states.length);
  const failures = await Promise.all(
    states.map(async (name, index) => {
      const state = await openState(name, seed + 100 * index);
      try {
        return await fuzzState(state, seed + index, share, { coverage, tally });
      } finally {
        await state.server.stop();
      }
    }),
  );
  return { coverage, ...tally, failures: failures.filter((failure) => failure !== null) };
}

interface Counters {
  readonly coverage: Coverage;
  readonly tally: Tally;
}

async function fuzzState(
  state: State,
  seed: number,
  queries: number,
  counters: Counters,
): Promise<string | null> {
  const details = await fc.check(
    // Biased towards the first of a list, some operators would be drawn ten times as often as others.
    fc.asyncProperty(fc.noBias(request), (each) => checkOne(state, each, counters)),
    { seed, numRuns: queries, maxSkipsPerRun: 10 },
  );
  if (!details.failed) return null;
  const place = `seed ${seed}, path ${details.counterexamplePath}, after ${details.numRuns} queries`;
  return `${place}:\n${String(details.errorInstance)}`;
}

async function checkOne(state: State, each: Request, counters: Counters): Promise<void> {
  const { coverage, tally } = counters;
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
