// The Trino cluster that the settings name: whether it answers as DuckDB does, which queries go there, and what became of them. Loaded
// if there is one.
import type { Logger } from 'pino';
import { timeExceeded } from '../../errors.js';
import { conformanceQueries, difference } from '../../query/trino/conformance.js';
import type { EventStore } from '../../store/event-store.js';
import type { TrinoAddress } from '../../trino/address.js';
import { TrinoClient } from '../../trino/client.js';
import { ClusterError } from '../../trino/errors.js';
import { answerOf, compiledNow, type ClusterAnswer, type ClusterQuery } from './answer.js';

/** - `differs`: it gives other answers than DuckDB. `unavailable`: it gives none. */
export type ClusterState = 'checking' | 'agrees' | 'differs' | 'unavailable';

export interface ClusterStatus {
  readonly name: string;
  readonly state: ClusterState;
  /** One sentence; null if it agrees, or is not checked yet. */
  readonly reason: string | null;
  /** When it was checked last, in milliseconds since 1970; null before. */
  readonly checked: number | null;
}

export interface ClusterExplanation {
  readonly state: ClusterState;
  readonly route: 'cluster' | 'server';
  /** Why the server answers; null if the cluster does. */
  readonly reason: string | null;
  /** Null if the query does not compile. */
  readonly sql: string | null;
}

export interface ClusterOptions {
  readonly address: TrinoAddress;
  /** The name of the catalog in Trino. */
  readonly catalog: string;
  /** The rows from which heavy queries go there; 0: all queries. */
  readonly rowsMin: number;
  /** The time for the answer to a query. */
  readonly timeoutMs: number;
  readonly store: EventStore;
  readonly log: Logger;
}

const checkMsMax = 120_000;

/** A query of fewer rows goes there, too, if so many bytes of its files are only in the bucket. */
const evictedBytesMin = 2 ** 30;

const stateTexts = {
  checking: 'the cluster is not checked yet',
  differs: 'the cluster differs from DuckDB',
  unavailable: 'the cluster is unavailable',
} as const;

/** The next check after one that found the cluster to agree or to differ, and after one that found none. */
const nextCheckMs = { found: 600_000, unavailable: 10_000 } as const;

const outcomes = [
  'answered',
  'declined',
  'refused',
  'failed',
  'unreachable',
  'exceeded',
  'cancelled',
] as const;

/**
 * - `declined`: it does not compile, or has no current table
 * - `refused`, `failed`, `unreachable`: as `ClusterOutcome`
 * - `exceeded`: it took too long. `cancelled`: the client is gone, or the query was cancelled
 */
type Outcome = (typeof outcomes)[number];

/** What became of a query: the answer, or why the server has to answer. */
export type ClusterRun =
  | { readonly answer: ClusterAnswer }
  | { readonly answer: null; readonly reason: string; readonly hasFailed: boolean };

const without = (reason: string, hasFailed = false): ClusterRun => ({
  answer: null,
  reason,
  hasFailed,
});

export class Cluster {
  readonly #options: ClusterOptions;
  readonly #client: TrinoClient;
  readonly #closing = new AbortController();
  #status: ClusterStatus;
  #check: Promise<void>;
  #timer: NodeJS.Timeout | null = null;
  readonly #outcomes = new Map<Outcome, number>(outcomes.map((outcome) => [outcome, 0]));

  /** Checks the cluster in the background. */
  constructor(options: ClusterOptions) {
    this.#options = options;
    this.#client = new TrinoClient(options.address);
    this.#status = { name: this.#client.name, state: 'checking', reason: null, checked: null };
    this.#check = this.#checked();
  }

  get status(): ClusterStatus {
    return this.#status;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#check;
  }

  /** How many queries had which outcome since the start. */
  get outcomes(): ReadonlyMap<Outcome, number> {
    return this.#outcomes;
  }

  /** Where the query would be answered and why not on the cluster, and the statement if there is one. Nothing is flushed for it. */
  async explain(query: ClusterQuery): Promise<ClusterExplanation> {
    const compiled = (await compiledNow(this.#options, query)) ?? { declined: 'no table' };
    const reason = 'declined' in compiled ? compiled.declined : this.#unfit(query);
    return {
      state: this.#status.state,
      route: reason === null ? 'cluster' : 'server',
      reason,
      sql: 'declined' in compiled ? null : compiled.sql,
    };
  }

  /**
   * Answers the query, with all events that are acknowledged. The caller releases the answer.
   * @throws RequestError 400 if it takes too long, 503 for a full disk; the signal's reason if it is aborted
   */
  async run(query: ClusterQuery): Promise<ClusterRun> {
    const unfit = this.#unfit(query);
    if (unfit !== null) return without(unfit);
    const { timeoutMs } = this.#options;
    const late = AbortSignal.timeout(timeoutMs);
    const signal = AbortSignal.any([query.signal, late, this.#closing.signal]);
    try {
      const answer = await answerOf({ ...this.#options, client: this.#client }, query, signal);
      if ('declined' in answer) return this.#without(query, 'declined', answer.declined);
      this.#count('answered');
      return { answer };
    } catch (error) {
      if (query.signal.aborted) this.#count('cancelled');
      query.signal.throwIfAborted();
      if (late.aborted) {
        this.#count('exceeded');
        throw timeExceeded(timeoutMs);
      }
      if (error instanceof ClusterError) return this.#without(query, error.outcome, error.message);
      if (this.#closing.signal.aborted) return without('the server stops');
      throw error;
    }
  }

  #without({ id }: ClusterQuery, outcome: Outcome, reason: string): ClusterRun {
    this.#count(outcome);
    if (outcome === 'declined') return without(reason);
    const { log } = this.#options;
    if (outcome === 'refused')
      log.error({ query: id }, `${reason}: the server answers, which is slower`);
    else log.warn({ query: id }, reason);
    if (outcome === 'unreachable') this.#pause(reason);
    return without(reason, true);
  }

  /** No query goes there before a check finds that it answers again. */
  #pause(reason: string): void {
    if (this.#status.state !== 'agrees') return;
    this.#status = { ...this.#status, state: 'unavailable', reason };
    this.#checkIn(nextCheckMs.unavailable);
  }

  #count(outcome: Outcome): void {
    this.#outcomes.set(outcome, (this.#outcomes.get(outcome) ?? 0) + 1);
  }

  /** Why the query does not belong on the cluster, whether it compiles or not. */
  #unfit({ isHeavy, snapshot, objects }: ClusterQuery): string | null {
    const { rowsMin } = this.#options;
    const { state } = this.#status;
    if (state !== 'agrees') return stateTexts[state];
    if (rowsMin === 0) return null;
    if (!isHeavy) return 'a query that takes no more work than a page';
    const ids = objects.map(({ id }) => id);
    const isLarge = snapshot.weight(ids).rows >= rowsMin;
    return isLarge || snapshot.evictedBytes(ids) > evictedBytesMin
      ? null
      : `fewer rows than EVALSTORE_CLUSTER_ROWS, ${rowsMin}`;
  }

  async #checked(): Promise<void> {
    const found = await this.#found();
    if (this.#closing.signal.aborted) return;
    const { reason: before } = this.#status;
    this.#status = { ...this.#status, ...found, checked: Date.now() };
    const { state, reason } = found;
    if (reason !== null && reason !== before)
      this.#options.log.error(`no query runs on the cluster: ${reason}`);
    const ms = state === 'unavailable' ? nextCheckMs.unavailable : nextCheckMs.found;
    this.#checkIn(ms);
  }

  #checkIn(ms: number): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => (this.#check = this.#checked()), ms).unref();
  }

  async #found(): Promise<Pick<ClusterStatus, 'state' | 'reason'>> {
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(checkMsMax)]);
    try {
      const reason = await this.#difference(signal);
      if (reason === null) return { state: 'agrees', reason };
      return { state: 'differs', reason: `${this.#client.name} differs from DuckDB: ${reason}` };
    } catch (error) {
      if (error instanceof ClusterError) return { state: 'unavailable', reason: error.message };
      const why = error instanceof Error ? error.message : String(error);
      return {
        state: 'unavailable',
        reason: `the cluster ${this.#client.name} was not checked: ${why}`,
      };
    }
  }

  async #difference(signal: AbortSignal): Promise<string | null> {
    for (const query of conformanceQueries()) {
      const found = await this.#client.rows(query.trino.sql, signal);
      const snapshot = await this.#options.store.snapshot(null, '');
      try {
        const expected: string[] = [];
        for await (const rows of snapshot.stream(query.texts, { queue: 'small', signal }))
          expected.push(...rows.map(([text]) => String(text)));
        const differs = difference(query, expected, found);
        if (differs !== null) return differs;
      } finally {
        await snapshot.release();
      }
    }
    return null;
  }
}
