// Commits write requests. Small requests that wait together form a group, which is one frame of the log and one fdatasync; so do
// large ones, after them. While the server runs, no other code adds rows to a log.
import { InsertedTotals } from './inserted-totals.js';
import type { HighWaterMark } from '../../duckdb/high-water-mark.js';
import { toStorageFailed, UnknownOutcomeError } from '../../errors.js';
import { inSteps } from '../../in-steps.js';
import { nextXactId } from '../../schema/xact-id.js';
import type { GenerationIndexes } from '../row/row-index.js';
import { CommitGroup, StaleRequest, type SizeLimits } from './commit-group.js';
import { toEventBatches } from './insert-request.js';
import type { EventBatch, IncomingBatch, ResolvedRequest } from './insert-request.js';
import type { DiskReserve } from './disk-reserve.js';
import type { RequestResolver } from './request-resolver.js';
import type { Reclamation } from '../file/reclamation.js';
import type { StoreChange, StoredState, StoreState } from '../manifest/store-state.js';
import type { Supersessions } from '../row/supersessions.js';
import type { EventLog } from '../log/event-log.js';
import { LastWrites } from './last-writes.js';

/** The size of a group: with this many rows it takes no further request, so that a small insert never waits for many large ones. */
const groupRowsMax = 4096;

/** The same in bytes: a group is one frame of the log. See also `requestBytesMax`. */
const groupBytesMax = 32 * 2 ** 20;

/** The size of small requests in events. They are committed before larger ones, in a group of their own. */
const smallEventsMax = 16;

/** For this time after a small request, large ones are committed one at a time, so that a small one never waits for several. */
const amongSmallMs = 1000;

/**
 * Called right before the events of a request are applied. Refuses the request by throwing an error.
 * @param lastWriteOf a transaction that is not before the last one that wrote to the object
 */
export type CommitCheck = (lastWriteOf: (objectId: string) => bigint) => void;

interface WaitingRequest {
  readonly request: ResolvedRequest;
  readonly checkBeforeCommit: CommitCheck;
  readonly rows: number;
  readonly resolve: (xactId: bigint) => void;
  readonly reject: (error: unknown) => void;
}

const rowsOf = ({ batches }: ResolvedRequest): number =>
  batches.reduce((rows, { events }) => rows + events.length, 0);

const isSmall = ({ rows }: WaitingRequest): boolean => rows <= smallEventsMax;

type Stored = readonly [WaitingRequest, bigint];

/** Makes a change durable that adds no rows. Returns null if nothing is left to change. */
export type ChangeWork = (state: StoreState) => Promise<StoreChange | null>;

/** The time to write a group to the log. */
export interface CommitTime {
  readonly rows: number;
  readonly milliseconds: number;
}

export interface CommitterOptions {
  readonly log: EventLog;
  /** The last transaction that is on disk. */
  readonly last: HighWaterMark;
  readonly supersessions: Supersessions;
  readonly resolver: RequestResolver;
  readonly reclamation: Reclamation;
  readonly sizeLimits: SizeLimits;
  readonly reserve: DiskReserve;
  /** Reads the state on disk. */
  readonly load: () => Promise<StoredState>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Called for every change that is durable, in commit order, before its requests are answered. */
  readonly committed: (change: StoreChange) => void;
  /** Called for every group of requests that became durable together. */
  readonly timed: (commit: CommitTime) => void;
  /** Called when the durable state had to be read again because the outcome of a commit was unknown. */
  readonly reloaded: (state: StoreState) => void;
}

export class Committer {
  readonly #options: CommitterOptions;
  readonly lastWrites: LastWrites;
  readonly inserted = new InsertedTotals();
  #waiting: WaitingRequest[] = [];
  #state: StoreState;
  #index: GenerationIndexes;
  #changes: (() => Promise<void>)[] = [];
  #running: Promise<void> | undefined;
  #smallUntil = -Infinity;
  #outcomeUnknown = false;

  constructor(options: CommitterOptions, state: StoreState, index: GenerationIndexes) {
    this.#options = options;
    this.#state = state;
    this.#index = index;
    this.lastWrites = new LastWrites(state.lastXactId);
  }

  get state(): StoreState {
    return this.#state;
  }

  /** Of the same moment as `state`. */
  get index(): GenerationIndexes {
    return this.#index;
  }

  /** Resolves with the transaction id once the events are on disk. */
  insert(batches: readonly IncomingBatch[], checkBeforeCommit: CommitCheck): Promise<bigint> {
    const objects = toEventBatches(batches).filter(
      ({ events, required }) => events.length > 0 || required.length > 0,
    );
    if (objects.length === 0) return Promise.resolve(this.#state.lastXactId);
    return this.#submit(objects, checkBeforeCommit);
  }

  /** A transaction id for a write that is stored elsewhere; later requests get larger ones. */
  async issueXactId(): Promise<bigint> {
    let xactId = 0n;
    await this.change(async (state) => {
      xactId = nextXactId(state.lastXactId, this.#options.now() / 1000);
      const issued = { ...state, change: state.change + 1, lastXactId: xactId };
      return { state: issued, supersede: () => {} };
    });
    return xactId;
  }

  /** Runs `work` between two groups. */
  change(work: ChangeWork): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#changes.push(() => this.#change(work).then(resolve, reject));
      this.#start();
    });
  }

  /** Waits for the requests that were submitted. */
  async close(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  #submit(batches: readonly EventBatch[], checkBeforeCommit: CommitCheck): Promise<bigint> {
    const request = this.#options.resolver.resolveAtOnce(batches, this.#state, this.#index);
    return request === null
      ? this.#resolve(batches).then((resolved) => this.#wait(resolved, checkBeforeCommit))
      : this.#wait(request, checkBeforeCommit);
  }

  #wait(request: ResolvedRequest, checkBeforeCommit: CommitCheck): Promise<bigint> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ request, checkBeforeCommit, rows: rowsOf(request), resolve, reject });
      this.#start();
    });
  }

  // Pins the files of the state until the look-up ends.
  async #resolve(batches: readonly EventBatch[]): Promise<ResolvedRequest> {
    const unpin = this.#options.reclamation.pin();
    try {
      return await this.#options.resolver.resolve(batches, this.#state, this.#index);
    } finally {
      unpin();
    }
  }

  /** Not at once: what runs may submit a request again before this returns. */
  #start(): void {
    this.#running ??= Promise.resolve().then(() => this.#run());
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0 || this.#changes.length > 0) {
      for (const change of this.#changes.splice(0)) await change();
      await this.#commitNext();
    }
    this.#running = undefined;
  }

  async #commitNext(): Promise<void> {
    const requests = this.#waiting;
    const small = requests.filter(isSmall);
    const large = requests.filter((waiting) => !isSmall(waiting));
    const now = performance.now();
    if (small.length > 0) this.#smallUntil = now + amongSmallMs;
    const count = now < this.#smallUntil ? 1 : large.length;
    this.#waiting = large.slice(count);
    for (const group of [small, large.slice(0, count)])
      await this.#commitAll(group).catch((error: unknown) => {
        for (const { reject } of group) reject(error);
      });
  }

  async #change(work: ChangeWork): Promise<void> {
    if (this.#outcomeUnknown) await this.#reload();
    const change = await work(this.#state).catch((error: unknown) => {
      this.#outcomeUnknown = error instanceof UnknownOutcomeError;
      throw error;
    });
    if (change !== null) this.#accept(change);
  }

  #accept(change: StoreChange): void {
    const kept = new Set(change.state.sealed.map(({ source }) => source));
    for (const { source } of this.#state.sealed) if (!kept.has(source)) this.#index.drop(source);
    this.#state = change.state;
    change.supersede(this.#options.supersessions);
    this.#options.committed(change);
  }

  async #commitAll(requests: readonly WaitingRequest[]): Promise<void> {
    if (this.#outcomeUnknown) await this.#reload();
    const { log, sizeLimits, reserve } = this.#options;
    const measuring = reserve.refresh();
    if (measuring !== undefined) await measuring;
    const readRow = log.rowAt.bind(log);
    const group = new CommitGroup(this.#state, this.#index, readRow, sizeLimits, reserve);
    const stored: Stored[] = [];
    for (const [index, waiting] of requests.entries()) {
      if (group.rowCount >= groupRowsMax || group.bytes >= groupBytesMax) {
        this.#waiting = [...requests.slice(index), ...this.#waiting];
        break;
      }
      await this.#stage(group, waiting, stored);
    }
    if (stored.length > 0) await this.#commit(group, stored);
  }

  /** In turns, while nothing else changes the state. */
  async #stage(group: CommitGroup, waiting: WaitingRequest, stored: Stored[]): Promise<void> {
    try {
      waiting.checkBeforeCommit(
        (objectId) => group.lastWriteOf(objectId) ?? this.lastWrites.of(objectId),
      );
      const adding = inSteps(group.addInSteps(waiting.request, this.#options.now()), () => {});
      stored.push([waiting, adding instanceof Promise ? await adding : adding]);
    } catch (error) {
      if (error instanceof StaleRequest) this.#submitAgain(waiting);
      else waiting.reject(error);
    }
  }

  #submitAgain({ request, checkBeforeCommit, resolve, reject }: WaitingRequest): void {
    this.#submit(request.batches, checkBeforeCommit).then(resolve, reject);
  }

  async #commit(group: CommitGroup, stored: readonly Stored[]): Promise<void> {
    const started = performance.now();
    try {
      if (group.rowCount > 0) await this.#options.log.commit(group);
    } catch (error) {
      for (const [{ reject }] of stored) reject(error);
      return;
    }
    if (group.rowCount > 0) this.#options.last.write(group.state.lastXactId);
    this.#options.reserve.appended(group.bytes);
    group.addTo(this.#index.of(group.source));
    group.countIn(this.inserted);
    this.lastWrites.note(group.objectIds, group.state.lastXactId);
    this.#accept(group);
    for (const [{ resolve }, xactId] of stored) resolve(xactId);
    this.#options.timed({ rows: group.rowCount, milliseconds: performance.now() - started });
  }

  /** @throws RequestError 503 if the state cannot be read */
  async #reload(): Promise<void> {
    const { state, index } = await this.#options.load().catch((error: unknown) => {
      throw toStorageFailed(error);
    });
    const { lastXactId } = this.#state;
    this.#state = {
      ...state,
      change: this.#state.change + 1,
      publication: this.#state.publication + 1,
      removals: this.#state.removals,
      // No row may have the last id that was given out.
      lastXactId: state.lastXactId > lastXactId ? state.lastXactId : lastXactId,
    };
    this.#index = index;
    this.lastWrites.reset(this.#state.lastXactId);
    this.#outcomeUnknown = false;
    this.#options.reloaded(this.#state);
  }
}
