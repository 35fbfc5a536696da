// Many random histories against one server, several at a time, and what came of them in words.
import * as fc from 'fast-check';
import type { ServerOptions, TestServer } from '../../support/start-server.js';
import { history, type History } from './arbitrary-history.js';
import type { Conversation } from './conversation.js';
import { continueHistory, runHistory, type FinishedHistory } from './run-history.js';

export interface Setting {
  readonly name: string;
  readonly server: Pick<ServerOptions, 'environment' | 'tuning'>;
  /** Rows of another object that every history begins with, so that its own lie in several row groups. */
  readonly fillerRows?: number;
  /** Segments are merged whenever there are a few. */
  readonly merges?: boolean;
  /** At the restart, all versions of before are too old to be kept. */
  readonly forgets?: boolean;
  /** All rows stay buffered. */
  readonly buffers?: boolean;
}

const flushingAt = (rows: number) => ({
  EVALSTORE_LOG_LEVEL: 'warn',
  EVALSTORE_FLUSH_ROWS: String(rows),
});

/** Two neighbours are merged whatever their sizes, and one row that ended is reason enough. */
const mergingAlways = { fanOut: 2, supersededShare: 1e-9, idleMs: 0 };

/** Long answers, and searches for the first rows of an answer, are made of parts of a few rows. */
const chunks = { rows: 5, bytes: 2000, dividedRows: 1 };

/** The engine rounds smaller ones up to this. */
const rowGroupRows = 2048;

/** Segments of any size have a narrow file. */
const narrow = { narrowRowsMin: 1 };

/** Configurations of the server under which the answers must be the same. */
export const settings: readonly Setting[] = [
  {
    name: 'rows stay buffered',
    server: { environment: flushingAt(1_000_000) },
    buffers: true,
  },
  { name: 'flush after every insert', server: { environment: flushingAt(1) } },
  {
    name: 'flush now and then',
    server: { environment: flushingAt(40), tuning: { chunks, segments: narrow } },
  },
  {
    name: 'merge segments always',
    server: {
      environment: flushingAt(20),
      tuning: { compaction: mergingAlways, segments: narrow },
    },
    merges: true,
    forgets: true,
  },
  {
    name: 'row groups as small as the engine makes them',
    server: {
      environment: flushingAt(40),
      tuning: {
        segments: { ...narrow, rowGroupRows },
        compaction: { fanOut: 3 },
      },
    },
    fillerRows: rowGroupRows - 20,
    merges: true,
  },
];

export interface Plan {
  readonly fillerRows?: number;
  readonly seed: number;
  readonly histories: number;
  /** Histories that run at the same time. */
  readonly lanes: number;
  /** Whether what a history reads is read once more when all its rows are in segments, and these are merged. */
  readonly settles?: boolean;
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
  /** The last histories of every lane, to be continued. */
  readonly conversations: readonly Conversation[];
  /** The history that got a wrong answer, reduced; null when all answers were the model's. */
  readonly failure: string | null;
}

const keptConversations = 12;

export async function explore(server: TestServer, plan: Plan): Promise<Exploration> {
  const counts = new Map<string, Count>();
  const conversations: Conversation[] = [];
  const finish = ({ conversation, counts: own }: FinishedHistory) => {
    addCounts(counts, own);
    conversations.push(conversation);
    if (conversations.length > keptConversations) conversations.shift();
  };
  const checks = await Promise.all(
    Array.from({ length: plan.lanes }, (_, lane) => checkLane(server, plan, lane, finish)),
  );
  const failure = checks.find(({ failed }) => failed);
  return {
    histories: checks.reduce((total, { numRuns }) => total + numRuns, 0),
    counts,
    conversations,
    failure: failure === undefined ? null : failureText(failure),
  };
}

const checkLane = (
  server: TestServer,
  { seed, histories, lanes, isReduced, fillerRows, settles = false }: Plan,
  lane: number,
  finish: (finished: FinishedHistory) => void,
) =>
  fc.check(
    fc.asyncProperty(history, async (each) => {
      const finished = await runHistory(server, each, fillerRows);
      if (settles) await readSettled(server, finished, each);
      finish(finished);
    }),
    {
      seed: seed + lane,
      numRuns: Math.ceil(histories / lanes),
      endOnFailure: !isReduced,
    },
  );

/** Goes on with histories on a server that was started again. */
export async function resume(
  server: TestServer,
  conversations: readonly Conversation[],
  { seed, forgets }: { readonly seed: number; readonly forgets: boolean },
): Promise<void> {
  const continuations = fc.sample(history, { seed, numRuns: conversations.length });
  await server.settle();
  for (const [index, conversation] of conversations.entries()) {
    const historyFrom = forgets ? (conversation.xactIds.at(-1) ?? 0n) + 2n : 0n;
    const resumed = { ...conversation, server, historyFrom };
    const continuation = (continuations[index] ?? []).slice(0, 20);
    await continueHistory(resumed, [
      ...(forgets ? [anInsert] : []),
      ...everything,
      ...continuation,
    ]);
  }
}

/** After it, the latest version is one of those that are kept. */
const anInsert = { kind: 'insert', object: 0, events: [{ id: 'r1', fields: {} }] } as const;

/** All that is live now, and at some version, in each of the objects of a history. */
const everything: History = [0, 1, 2].flatMap((object) => {
  const fetch = { kind: 'fetch', object, limit: null, filters: [] } as const;
  const version = { pick: 7 * object + 3, offset: 0, isShort: false } as const;
  return [
    { ...fetch, version: null },
    { ...fetch, version },
  ];
});

async function readSettled(
  server: TestServer,
  { conversation }: FinishedHistory,
  history: History,
): Promise<void> {
  await server.settle();
  const reads = history.filter((operation) => !operation?.kind.endsWith('insert'));
  await continueHistory(conversation, [...everything, ...reads]);
}

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
export const countsText = ({ counts, histories }: Exploration): string =>
  [...counts]
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(
      ([what, { times, histories: within }]) =>
        `  ${what}: ${times} times, in ${within} of ${histories} histories`,
    )
    .join('\n');

/** What the run of a history counts and has to meet often. */
const wanted = [
  ...(['new row', 'replacement', 'merge', 'delete', 'child', 'refused insert'] as const),
  ...(['fetch', 'fetch of a version with rows'] as const),
  ...(['walk', 'page by cursor', 'page after a tuple', 'query of a version with rows'] as const),
  ...(['query of rows with several rows', 'query of groups with several rows'] as const),
  'query with a filter and rows',
];

/** The same, now and then. */
const wantedSometimes = [
  ...(['fetch with filters that rows pass', 'summary with scores'] as const),
  ...(['removal of rows', 'unchanged answer'] as const),
];

/** What happened in less than a fifth of the histories, or a twentieth. */
export function rareOperations({ counts, histories }: Exploration): readonly string[] {
  const times = (kind: string) => counts.get(kind)?.histories ?? 0;
  return [
    ...wanted.filter((kind) => times(kind) < histories / 5),
    ...wantedSometimes.filter((kind) => times(kind) < histories / 20),
  ];
}
