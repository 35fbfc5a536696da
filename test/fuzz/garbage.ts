// Garbage, sent to a server and to the compiler: what is no query is refused, and does no harm.
import { setTimeout as delay } from 'node:timers/promises';
import * as fc from 'fast-check';
import { toStatement } from '../../src/duckdb/sql.js';
import { QueryError } from '../../src/errors.js';
import { parseQuery } from '../../src/query/syntax/parse.js';
import { oneBranch } from '../query/fixture.js';
import { compileQuery } from '../../src/query/compile.js';
import type { TestServer } from '../support/start-server.js';
import { extremeQuery, garbageBody, garbageQuery, marker } from './arbitrary-garbage.js';
import type { Plan } from './fuzz.js';

export interface GarbageOutcome {
  readonly refused: number;
  /** What happened to be valid after all. */
  readonly answered: number;
  readonly failures: readonly string[];
}

interface Garbage {
  /** null when the body as a whole is garbage. */
  readonly query: string | null;
  readonly body: string;
}

interface Tally {
  refused: number;
  answered: number;
}

const lanes = 4;
const patienceMs = 20_000;

export async function throwGarbage(
  server: TestServer,
  source: string,
  { seed, queries }: Pick<Plan, 'seed' | 'queries'>,
): Promise<GarbageOutcome> {
  const tally: Tally = { refused: 0, answered: 0 };
  const text = fc
    .oneof(
      { weight: 3, arbitrary: garbageQuery(source) },
      { weight: 1, arbitrary: extremeQuery(source) },
    )
    .map((query): Garbage => ({
      query,
      body: JSON.stringify({ query }),
    }));
  const body = garbageBody(source).map((sent): Garbage => ({ query: null, body: sent }));
  const garbage = fc.oneof({ weight: 4, arbitrary: text }, { weight: 1, arbitrary: body });
  const checks = await Promise.all(
    Array.from({ length: lanes }, (_, lane) =>
      fc.check(
        fc.asyncProperty(garbage, async ({ query, body }) => {
          if (query !== null) checkSql(query);
          await send(server, body, tally);
        }),
        { seed: seed + lane, numRuns: Math.ceil(queries / lanes) },
      ),
    ),
  );
  const failed = checks.filter((check) => check.failed);
  return { ...tally, failures: failed.map(failureText) };
}

const failureText = (check: fc.RunDetails<[Garbage]>): string =>
  `${String(check.errorInstance)}\n${fc.defaultReportMessage(check)}`;

async function send(server: TestServer, body: string, tally: Tally): Promise<void> {
  const answer = await withinPatience(server.request('POST', '/query', body));
  if (answer.status === 200) tally.answered += 1;
  else if (answer.status === 400) tally.refused += 1;
  else throw new Error(`answered ${answer.status}: ${answer.text.slice(0, 500)}`);
  if (answer.status === 400 && / at (file|node):|EngineError/.test(answer.text))
    throw new Error(`the refusal shows the inside: ${answer.text.slice(0, 500)}`);
}

/** A request without an end is a failure of its own. */
async function withinPatience<T>(work: Promise<T>): Promise<T> {
  const done = new AbortController();
  const late = delay(patienceMs, null, { signal: done.signal }).then(() => {
    throw new Error(`no answer in ${patienceMs} ms`);
  });
  return Promise.race([work, late]).finally(() => done.abort());
}

const quotedIdentifier = /"(?:[^"]|"")*"/g;

/** Nothing that the user wrote is in the SQL but as a parameter or a quoted identifier. */
function checkSql(query: string): void {
  const text = compiledText(query);
  if (text?.replaceAll(quotedIdentifier, '').includes(marker))
    throw new Error(`text of the user's in the SQL: ${text}`);
}

function compiledText(query: string): string | null {
  try {
    const context = { relation: oneBranch, timeZone: 480, nowMicros: 0n };
    return toStatement(compileQuery(parseQuery(query), context).valueRows).text;
  } catch (error) {
    if (error instanceof QueryError) return null;
    throw error;
  }
}
