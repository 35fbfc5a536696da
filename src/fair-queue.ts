// A fair queue with a limit on concurrency: clients take turns, so a client with a hundred waiting requests does not delay the others
// by all of them. While several clients have requests, each has at most a quarter of the turns at once, rounded up, so that a single request
// of another begins at once and shares the processors with few.

interface Waiter {
  readonly begin: () => void;
  readonly refuse: () => void;
}

interface Client {
  running: number;
  /** Oldest first. */
  readonly waiting: Waiter[];
  /** The number of its latest turn; turns are numbered in the order in which they begin. */
  lastTurn: number;
}

/** Limits on all clients together. */
export interface QueueLimits {
  readonly concurrency: number;
  readonly waitingMax: number;
}

/** Several clients have requests if the latest turns, of this number, are not all of one client. */
const recentTurns = 32;
/** The share of the turns, rounded up, that a client has at most while several clients have requests. */
const sharedPart = 1 / 4;

export class FairQueue {
  readonly #limits: QueueLimits;
  /** The clients that run or wait. */
  readonly #clients = new Map<string, Client>();
  #running = 0;
  #waiting = 0;
  #refused = 0;
  #turns = 0;
  /** The clients of the latest turns. */
  readonly #recent: string[] = [];

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  /** The numbers of running and of waiting requests. */
  get load(): { readonly running: number; readonly waiting: number } {
    return { running: this.#running, waiting: this.#waiting };
  }

  /** The number of requests that were refused because too many waited. */
  get refused(): number {
    return this.#refused;
  }

  /**
   * Waits for a turn. If the queue is full, the newest waiter of the client with the most waiters is refused.
   * @returns a function that ends the turn; further calls do nothing
   * @throws the error of `overflow` if the wait is refused; the signal's reason if it is aborted
   */
  take(name: string, overflow: () => Error, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    const client = this.#clientOf(name);
    if (client.waiting.length === 0 && this.#mayBegin(name, client))
      return Promise.resolve(this.#begin(name, client));
    return new Promise((resolve, reject) => {
      const abort = () => {
        this.#leave(name, client, waiter);
        reject(signal?.reason as Error);
      };
      const waiter: Waiter = {
        begin: () => {
          signal?.removeEventListener('abort', abort);
          resolve(this.#begin(name, client));
        },
        refuse: () => {
          signal?.removeEventListener('abort', abort);
          reject(overflow());
        },
      };
      client.waiting.push(waiter);
      this.#waiting += 1;
      signal?.addEventListener('abort', abort, { once: true });
      if (this.#waiting > this.#limits.waitingMax) this.#refuseOne();
    });
  }

  #clientOf(name: string): Client {
    const client = this.#clients.get(name) ?? { running: 0, waiting: [], lastTurn: 0 };
    this.#clients.set(name, client);
    return client;
  }

  #begin(name: string, client: Client): () => void {
    client.running += 1;
    client.lastTurn = ++this.#turns;
    this.#recent[this.#turns % recentTurns] = name;
    this.#running += 1;
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      client.running -= 1;
      this.#running -= 1;
      this.#forgetIdle(name, client);
      this.#next();
    };
  }

  #mayBegin(name: string, { running }: Client): boolean {
    const { concurrency } = this.#limits;
    if (this.#running >= concurrency) return false;
    const isAlone = this.#recent.every((each) => each === name);
    return isAlone || running < Math.max(1, concurrency * sharedPart);
  }

  /** Gives free turns to the client with the fewest running reads; among equals, to the one whose latest turn is the oldest. */
  #next(): void {
    // If that client may not begin, no other one overtakes it.
    for (;;) {
      const wanting = [...this.#clients].filter(([, { waiting }]) => waiting.length > 0);
      const [next] = wanting.toSorted(
        ([, a], [, b]) => a.running - b.running || a.lastTurn - b.lastTurn,
      );
      if (next === undefined || !this.#mayBegin(...next)) return;
      this.#waiting -= 1;
      next[1].waiting.shift()!.begin();
    }
  }

  #refuseOne(): void {
    const [[name, client]] = [...this.#clients].toSorted(
      ([, a], [, b]) => b.waiting.length - a.waiting.length || b.lastTurn - a.lastTurn,
    ) as [[string, Client]];
    const last = client.waiting.at(-1)!;
    this.#leave(name, client, last);
    this.#refused += 1;
    last.refuse();
  }

  #leave(name: string, client: Client, waiter: Waiter): void {
    client.waiting.splice(client.waiting.indexOf(waiter), 1);
    this.#waiting -= 1;
    this.#forgetIdle(name, client);
  }

  #forgetIdle(name: string, { running, waiting }: Client): void {
    if (running === 0 && waiting.length === 0) this.#clients.delete(name);
  }
}
