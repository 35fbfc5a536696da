// Who may run next: so many at once, and clients in turn, so that one with a hundred reads keeps no other one waiting for all of
// them.

interface Waiting {
  readonly begin: () => void;
  readonly refuse: () => void;
}

interface Client {
  running: number;
  /** Oldest first. */
  readonly waiting: Waiting[];
  /** Grows from one turn to the next. */
  lastTurn: number;
}

export interface TurnLimits {
  readonly concurrency: number;
  /** Of all clients together. */
  readonly waitingMax: number;
}

export class Turns {
  readonly #limits: TurnLimits;
  /** Those that run or wait. */
  readonly #clients = new Map<string, Client>();
  #running = 0;
  #waiting = 0;
  #turns = 0;

  constructor(limits: TurnLimits) {
    this.#limits = limits;
  }

  /** How many reads run and how many wait. */
  get load(): { readonly running: number; readonly waiting: number } {
    return { running: this.#running, waiting: this.#waiting };
  }

  /**
   * Waits for a turn. Where too many wait, the client with the most of them loses its last one.
   * @returns the function that ends the turn
   * @throws what `overflow` makes when the wait is refused, the signal's reason when it is aborted
   */
  take(name: string, overflow: () => Error, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    const client = this.#clientOf(name);
    if (this.#running < this.#limits.concurrency) return Promise.resolve(this.#begin(name, client));
    return new Promise((resolve, reject) => {
      const abort = () => {
        this.#leave(name, client, waiting);
        reject(signal?.reason as Error);
      };
      const waiting: Waiting = {
        begin: () => {
          signal?.removeEventListener('abort', abort);
          resolve(this.#begin(name, client));
        },
        refuse: () => {
          signal?.removeEventListener('abort', abort);
          reject(overflow());
        },
      };
      client.waiting.push(waiting);
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

  /** The client that has the fewest turns has the next one; of several, the one that waited longest for one. */
  #next(): void {
    const wanting = [...this.#clients.values()].filter(({ waiting }) => waiting.length > 0);
    const [next] = wanting.toSorted((a, b) => a.running - b.running || a.lastTurn - b.lastTurn);
    const waiting = next?.waiting.shift();
    if (waiting === undefined) return;
    this.#waiting -= 1;
    waiting.begin();
  }

  #refuseOne(): void {
    const [[name, client]] = [...this.#clients].toSorted(
      ([, a], [, b]) => b.waiting.length - a.waiting.length || b.lastTurn - a.lastTurn,
    ) as [[string, Client]];
    const last = client.waiting.at(-1)!;
    this.#leave(name, client, last);
    last.refuse();
  }

  #leave(name: string, client: Client, waiting: Waiting): void {
    client.waiting.splice(client.waiting.indexOf(waiting), 1);
    this.#waiting -= 1;
    this.#forgetIdle(name, client);
  }

  #forgetIdle(name: string, { running, waiting }: Client): void {
    if (running === 0 && waiting.length === 0) this.#clients.delete(name);
  }
}
