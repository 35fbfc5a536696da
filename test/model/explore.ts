// Many random histories against one server, several at a time, and what came of them in words.
import * as fc from 'fast-check';
import type { TestServer } from '../support/start-server.js';
import { history, operationKinds, type History } from './arbitrary-history.js';
import { runHistory } from './run-history.js';

export interface Setting {
  readonly name: string;
  readonly environment: Readonly<Record<string, string>>;
}

const quiet = { EVALSTORE_LOG_LEVEL: 'warn' };

/** Configurations of the server under which the answers must be the same. */
export const settings: readonly Setting[] = [{ name: 'default', environment: quiet }];

export interface Plan {
  readonly seed: number;
  readonly histories: number;
  /** Histories that run at the same time. */
  readonly lanes: number;
  /** Whether a history with a wrong answer is reduced to the operations that it needs. */
  readonly isReduced: boolean;
}

export interface Count {
  times: number;
  /** Histories in which it happened. */
  histories: number;
}

export interface Exploration {
  readonly histories: number;
  readonly counts: ReadonlyMap<string, Count>;
  /** The history that got a wrong answer, reduced; null when all answers were the model's. */
  readonly failure: string | null;
}

export const newSeed = (): number => Math.floor(Math.random() * 2 ** 31);

export async function explore(server: TestServer, plan: Plan): Promise<Exploration> {
  const counts = new Map<string, Count>();
  const checks = await Promise.all(
    Array.from({ length: plan.lanes }, (_, lane) => checkLane(server, plan, lane, counts)),
  );
  const failure = checks.find(({ failed }) => failed);
  return {
    histories: checks.reduce((total, { numRuns }) => total + numRuns, 0),
    counts,
    failure: failure === undefined ? null : failureText(failure),
  };
}

const checkLane = (
  server: TestServer,
  { seed, histories, lanes, isReduced }: Plan,
  lane: number,
  counts: Map<string, Count>,
) =>
  fc.check(
    fc.asyncProperty(history, async (each) => addCounts(counts, await runHistory(server, each))),
    {
      seed: seed + lane,
      numRuns: Math.ceil(histories / lanes),
      endOnFailure: !isReduced,
    },
  );

function addCounts(total: Map<string, Count>, counts: ReadonlyMap<string, number>): void {
  for (const [what, times] of counts) {
    const known = total.get(what) ?? { times: 0, histories: 0 };
    total.set(what, { times: known.times + times, histories: known.histories + 1 });
  }
}

function failureText({
  seed,
  counterexamplePath,
  counterexample,
  errorInstance,
}: fc.RunDetails<[History]>): string {
  const operations = (counterexample?.[0] ?? []).filter((operation) => operation !== null);
  return [
    `seed ${seed}, path ${counterexamplePath}: ${String(errorInstance)}`,
    ...operations.map((operation) => `  ${JSON.stringify(operation)}`),
  ].join('\n');
}

/** One line per thing that was counted. */
export const countsText = (counts: ReadonlyMap<string, Count>, histories: number): string =>
  [...counts]
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(
      ([what, { times, histories: within }]) =>
        `  ${what}: ${times} times, in ${within} of ${histories} histories`,
    )
    .join('\n');

/** Operations that happened in less than a fifth of the histories. */
export const rareOperations = ({ counts, histories }: Exploration): readonly string[] =>
  operationKinds.filter((kind) => (counts.get(kind)?.histories ?? 0) < histories / 5);
