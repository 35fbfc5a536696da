// The queries that run or wait, so that they can be listed and cancelled. One that lasts long is logged at its end, and listed on.
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { abbreviated, badRequest } from '../errors.js';
import type { Reply, StreamedReply } from './reply.js';

/** The part of a query's text that is listed and logged, in characters. */
const textMax = 1024;

/** The slow queries that are listed. */
const slowMax = 50;

interface QueryTimes {
  /** In milliseconds. */
  readonly waited: number;
  readonly isWaiting: boolean;
}

export interface NewQuery {
  /** Null without a key. */
  readonly userId: string | null;
  readonly requestId: string;
  readonly text: string;
  /** The organisations of the key; without a key, those of what the query reads. */
  readonly orgIds: readonly string[];
  readonly projectIds: readonly string[];
}

export interface RunningQuery extends NewQuery {
  readonly id: string;
  /** In milliseconds since 1970. */
  readonly started: number;
  /** Aborts when the client disconnects or the query is cancelled. */
  readonly signal: AbortSignal;
  /** Null before it has a snapshot. */
  times: QueryTimes | null;
  /** An upper estimate of the rows and of the bytes of their JSON that the query reads; null before it has a snapshot. */
  weight: { readonly rows: number; readonly bytes: number } | null;
}

/** A query that has ended. */
export interface SlowQuery extends NewQuery {
  readonly id: string;
  /** In milliseconds since 1970. */
  readonly started: number;
  /** In milliseconds, as is `waited`, a part of it. */
  readonly elapsed: number;
  readonly waited: number;
  readonly weight: RunningQuery['weight'];
}

const cancelled = () => badRequest('the query was cancelled by DELETE /v1/queries/{id}');

/** In milliseconds. */
export const elapsedOf = ({ started }: Pick<RunningQuery, 'started'>): number =>
  Date.now() - started;

export const waitedOf = ({ times }: Pick<RunningQuery, 'times'>): number =>
  Math.round(times?.waited ?? 0);

/** Whether the answer is complete. One without a length is read while it is written. */
const isWritten = (reply: Reply): reply is Exclude<Reply, StreamedReply> =>
  !('body' in reply) || reply.length !== undefined || Buffer.isBuffer(reply.body);

async function* endingWith(
  body: StreamedReply['body'],
  end: () => void,
): AsyncGenerator<string | Uint8Array, void> {
  try {
    yield* body as AsyncIterable<string | Uint8Array>;
  } finally {
    end();
  }
}

export class RunningQueries {
  readonly #log: Pick<Logger, 'warn'>;
  readonly #slowMs: number;
  readonly #queries = new Map<string, RunningQuery & { readonly cancel: () => void }>();
  #slow: readonly SlowQuery[] = [];

  /** @param slowMs the milliseconds from which a query is logged and listed after its end; 0 for none */
  constructor(log: Pick<Logger, 'warn'>, slowMs: number) {
    this.#log = log;
    this.#slowMs = slowMs;
  }

  /** Oldest first. */
  list(): readonly RunningQuery[] {
    return [...this.#queries.values()];
  }

  /** The last slow ones, at most 50 since the start, the newest first. */
  slow(): readonly SlowQuery[] {
    return this.#slow;
  }

  /** Does nothing if the query has ended. Its engine work is interrupted, and its client gets a 400. */
  cancel(id: string): void {
    this.#queries.get(id)?.cancel();
  }

  /**
   * Runs a query that is listed until its answer is written.
   * @param client aborts when the client disconnects
   */
  async run(
    query: NewQuery,
    client: AbortSignal,
    run: (query: RunningQuery) => Promise<Reply>,
  ): Promise<Reply> {
    const controller = new AbortController();
    const disconnect = () => controller.abort(client.reason);
    if (client.aborted) disconnect();
    else client.addEventListener('abort', disconnect, { once: true });
    const id = randomUUID();
    const running = {
      ...query,
      text: abbreviated(query.text, textMax),
      id,
      started: Date.now(),
      signal: controller.signal,
      times: null,
      weight: null,
      cancel: () => controller.abort(cancelled()),
    };
    this.#queries.set(id, running);
    const end = () => {
      client.removeEventListener('abort', disconnect);
      if (this.#queries.delete(id)) this.#keepSlow(running);
    };
    try {
      const reply = await run(running);
      if (isWritten(reply)) end();
      else return { ...reply, body: endingWith(reply.body, end) };
      return reply;
    } catch (error) {
      end();
      throw error;
    }
  }

  #keepSlow({ userId, requestId, text, orgIds, projectIds, ...query }: RunningQuery): void {
    const elapsed = elapsedOf(query);
    if (this.#slowMs === 0 || elapsed < this.#slowMs) return;
    const { id, started, weight } = query;
    const waited = waitedOf(query);
    const named = { userId, requestId, text, orgIds, projectIds };
    this.#slow = [{ ...named, id, started, elapsed, waited, weight }, ...this.#slow].slice(
      0,
      slowMax,
    );
    this.#log.warn(
      {
        requestId,
        query: text,
        projectIds,
        rows: weight?.rows ?? null,
        bytes: weight?.bytes ?? null,
        waitedMs: waited,
        ranMs: elapsed - waited,
      },
      'slow query',
    );
  }
}
