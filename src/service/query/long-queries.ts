// Parses long queries in a thread of its own, client by client: at the limits, parsing takes 0.3 s, for refused queries, too.
import { RequestError, tooManyRequests } from '../../errors.js';
import type { Expr, QueryAst } from '../../query/syntax/ast.js';
import { Turns } from '../../turns.js';
import { WorkThread } from '../../work-thread.js';
import type { LongQuery, ParsedQuery } from './long-queries-entry.js';

/** The number of long queries that may wait. */
const waitingMax = 200;

const thread = new WorkThread(new URL('./long-queries-entry.js', import.meta.url));

const turns = new Turns({ concurrency: 1, waitingMax });

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
    const answer = (await thread.run({ argument: query, signal: always })) as ParsedQuery;
    if ('parsed' in answer) return answer.parsed as T;
    throw new RequestError(answer.refusal.status, answer.refusal.message);
  } finally {
    end();
  }
}
