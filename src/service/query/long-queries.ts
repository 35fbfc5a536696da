// Long queries have turns, client by client. They are parsed in a thread: at the limits, parsing takes 0.3 s, also for a query that
// is refused in the end. Their SQL is generated here, one query at a time and with a pause behind each.
import { setTimeout as delay } from 'node:timers/promises';
import { RequestError, tooManyRequests } from '../../errors.js';
import type { Expr, QueryAst } from '../../query/syntax/ast.js';
import { FairQueue } from '../../fair-queue.js';
import { WorkThread } from '../../work-thread.js';
import type { LongQuery, ParsedQuery } from './long-queries-entry.js';

/** The number of long queries that may wait. */
const waitingMax = 200;

/** The pause in which others are served. */
const pauseMs = 50;

const thread = new WorkThread(new URL('./long-queries-entry.js', import.meta.url));

const turns = new FairQueue({ concurrency: 1, waitingMax });

const overflow = (): RequestError =>
  tooManyRequests(`${waitingMax} long queries are waiting already, try again later`, 1);

/** Parsing is never broken off, since a new thread takes as long to start. */
const always = new AbortController().signal;

/**
 * @param client the client whose turn it takes
 * @param signal aborts when the client disconnects
 * @throws RequestError 400 for a query that does not parse, 429 if too many long queries wait; the signal's reason
 */
export async function parseLong<T extends QueryAst | Expr>(
  query: LongQuery,
  client: string,
  signal: AbortSignal,
): Promise<T> {
  const end = await turns.take(client, overflow, signal);
  try {
    const answer = (await thread.run({ client, argument: query, signal: always })) as ParsedQuery;
    if ('parsed' in answer) return answer.parsed as T;
    throw new RequestError(answer.refusal.status, answer.refusal.message);
  } finally {
    end();
  }
}

/**
 * Compiles a long query in a turn of the client.
 * @throws RequestError 429 if too many long queries wait; the signal's reason; errors of the work
 */
export async function compileLong<T>(
  work: () => Promise<T>,
  client: string,
  signal: AbortSignal,
): Promise<T> {
  const end = await turns.take(client, overflow, signal);
  try {
    return await work();
  } finally {
    void delay(pauseMs).then(end);
  }
}
