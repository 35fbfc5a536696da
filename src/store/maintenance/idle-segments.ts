// Finds segments that had no new supersessions for some time. The others are likely to get more, and are not rewritten yet.

interface Seen {
  readonly superseded: number;
  /** Milliseconds of the clock. */
  readonly since: number;
}

export class IdleSegments {
  readonly #idleMs: number;
  readonly #now: () => number;
  #seen: ReadonlyMap<number, Seen> = new Map();

  constructor(idleMs: number, now: () => number = () => performance.now()) {
    this.#idleMs = idleMs;
    this.#now = now;
  }

  /**
   * Returns the entries of `superseded`, counts of superseded rows by source, that did not change for `idleMs`. `waitMs` is
   * the time until another entry may be idle; null if all are.
   */
  update(superseded: ReadonlyMap<number, number>): {
    readonly idle: ReadonlyMap<number, number>;
    readonly waitMs: number | null;
  } {
    const now = this.#now();
    const seen = [...superseded].map(([source, count]) => {
      const before = this.#seen.get(source);
      const since = before?.superseded === count ? before.since : now;
      return [source, { superseded: count, since }] as const;
    });
    this.#seen = new Map(seen);
    const isIdle = ({ since }: Seen) => now - since >= this.#idleMs;
    const waits = seen.filter(([, each]) => !isIdle(each)).map(([, { since }]) => since - now);
    return {
      idle: new Map([...superseded].filter(([source]) => isIdle(this.#seen.get(source)!))),
      waitMs: waits.length === 0 ? null : this.#idleMs + Math.min(...waits),
    };
  }
}
