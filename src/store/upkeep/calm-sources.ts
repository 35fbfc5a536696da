// Which segments have not been written to for a while: one that is being merged into is not rewritten meanwhile.

interface Seen {
  readonly superseded: number;
  /** Milliseconds of the clock. */
  readonly since: number;
}

export class CalmSources {
  readonly #calmMs: number;
  readonly #now: () => number;
  #seen: ReadonlyMap<number, Seen> = new Map();

  constructor(calmMs: number, now: () => number = () => performance.now()) {
    this.#calmMs = calmMs;
    this.#now = now;
  }

  /**
   * Those of the counts of superseded rows, by source, that are what they were `calmMs` ago; `waitMs` is the time
   * until another one may be, null when none is left.
   */
  update(superseded: ReadonlyMap<number, number>): {
    readonly calm: ReadonlyMap<number, number>;
    readonly waitMs: number | null;
  } {
    const now = this.#now();
    const seen = [...superseded].map(([source, count]) => {
      const before = this.#seen.get(source);
      const since = before?.superseded === count ? before.since : now;
      return [source, { superseded: count, since }] as const;
    });
    this.#seen = new Map(seen);
    const isCalm = ({ since }: Seen) => now - since >= this.#calmMs;
    const waits = seen.filter(([, each]) => !isCalm(each)).map(([, { since }]) => since - now);
    return {
      calm: new Map([...superseded].filter(([source]) => isCalm(this.#seen.get(source)!))),
      waitMs: waits.length === 0 ? null : this.#calmMs + Math.min(...waits),
    };
  }
}
