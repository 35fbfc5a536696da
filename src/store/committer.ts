// The one place where writes become durable: requests that wait together form one transaction, one fsync.
import { UnknownOutcomeError } from '../duckdb/writer.js';
import type { BufferIndex } from './buffer-index.js';
import { CommitGroup, StaleRequest, type RowLookup } from './commit-group.js';
import { resolveRequest, toEventBatches } from './insert-request.js';
import type { EventBatch, IncomingBatch, ResolvedRequest } from './insert-request.js';
import type { BufferState, WriteBuffer } from './write-buffer.js';

/** A group takes no further request past this many rows, so that a small insert never waits for many large ones. */
const groupRowsMax = 4096;

interface WaitingRequest {
  readonly request: ResolvedRequest;
  readonly resolve: (xactId: bigint) => void;
  readonly reject: (error: unknown) => void;
}

type Stored = readonly [WaitingRequest, bigint];

export interface CommitterOptions {
  readonly buffer: WriteBuffer;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Called for every group that is durable, in commit order, before its requests are answered. */
  readonly committed: (group: CommitGroup) => void;
  /** Called when the durable state had to be read again because the outcome of a commit was unknown. */
  readonly reloaded: (state: BufferState) => void;
}

export class Committer {
  readonly #options: CommitterOptions;
  #waiting: WaitingRequest[] = [];
  #state: BufferState;
  #index: BufferIndex;
  #running: Promise<void> | undefined;
  #outcomeUnknown = false;
  #recent: RowLookup = () => undefined;

  constructor(options: CommitterOptions, state: BufferState, index: BufferIndex) {
    this.#options = options;
    this.#state = state;
    this.#index = index;
  }

  get state(): BufferState {
    return this.#state;
  }

  /** Resolves with the transaction id once the events are on disk. */
  async insert(batches: readonly IncomingBatch[]): Promise<bigint> {
    const objects = toEventBatches(batches).filter(({ events }) => events.length > 0);
    if (objects.length === 0) return this.#state.lastXactId;
    return this.#submit(objects);
  }

  /** Waits for the requests that were submitted. */
  async close(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  async #submit(batches: readonly EventBatch[]): Promise<bigint> {
    const request = await this.#resolve(batches);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ request, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  async #resolve(batches: readonly EventBatch[]): Promise<ResolvedRequest> {
    if (batches.every(({ needed }) => needed.size === 0))
      return { batches, rowAt: () => undefined };
    return resolveRequest(batches, this.#index, this.#options.buffer);
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      const requests = this.#waiting;
      this.#waiting = [];
      await this.#commitAll(requests).catch((error: unknown) => {
        for (const { reject } of requests) reject(error);
      });
    }
    this.#running = undefined;
  }

  async #commitAll(requests: readonly WaitingRequest[]): Promise<void> {
    if (this.#outcomeUnknown) await this.#reload();
    const group = new CommitGroup(this.#state, this.#index, this.#recent);
    const stored: Stored[] = [];
    for (const [index, waiting] of requests.entries()) {
      if (group.rowCount >= groupRowsMax) {
        this.#waiting = [...requests.slice(index), ...this.#waiting];
        break;
      }
      this.#stage(group, waiting, stored);
    }
    if (stored.length > 0) await this.#commit(group, stored);
  }

  #stage(group: CommitGroup, waiting: WaitingRequest, stored: Stored[]): void {
    try {
      stored.push([waiting, group.add(waiting.request, this.#options.now())]);
    } catch (error) {
      if (error instanceof StaleRequest) this.#submitAgain(waiting);
      else waiting.reject(error);
    }
  }

  #submitAgain({ request, resolve, reject }: WaitingRequest): void {
    this.#submit(request.batches).then(resolve, reject);
  }

  async #commit(group: CommitGroup, stored: readonly Stored[]): Promise<void> {
    try {
      await this.#options.buffer.commit(group);
    } catch (error) {
      this.#outcomeUnknown = error instanceof UnknownOutcomeError;
      return this.#refuse(stored, error);
    }
    this.#state = group.state;
    this.#index.absorb(group.places);
    this.#recent = group.rowLookup();
    this.#options.committed(group);
    for (const [{ resolve }, xactId] of stored) resolve(xactId);
  }

  // One request that is too much for the writer's memory must not fail those it was grouped with.
  async #refuse(stored: readonly Stored[], error: unknown): Promise<void> {
    if (stored.length === 1 || this.#outcomeUnknown) {
      for (const [{ reject }] of stored) reject(error);
      return;
    }
    for (const [waiting] of stored) await this.#commitAll([waiting]).catch(waiting.reject);
  }

  async #reload(): Promise<void> {
    const { state, index } = await this.#options.buffer.load();
    this.#state = state;
    this.#index = index;
    this.#recent = () => undefined;
    this.#outcomeUnknown = false;
    this.#options.reloaded(state);
  }
}
