// How long a group waits for more requests: clients that were just answered send their next ones in a moment.

/** Longer than a client on the same machine takes, shorter than a commit. */
const patienceMs = 2;
/** Of the larger of two groups: while one half of the clients waits for a commit, the other half is served. */
const wantedShare = 0.5;

export class Gathering {
  /** Requests of the two groups before. */
  #before: readonly [number, number] = [0, 0];
  #arrived: ((waiting: number) => void) | undefined;

  /** Resolves when so many requests wait as a group can be expected to have, or soon. */
  async untilEnough(waiting: number): Promise<void> {
    const wanted = Math.max(...this.#before) * wantedShare;
    if (waiting === 0 || waiting >= wanted) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, patienceMs);
      this.#arrived = (count) => {
        if (count < wanted) return;
        clearTimeout(timer);
        resolve();
      };
    });
    this.#arrived = undefined;
  }

  /** To be called for each request, with the number of those that wait. */
  arrived(waiting: number): void {
    this.#arrived?.(waiting);
  }

  /** To be called for each group, with the number of its requests. */
  ended(requests: number): void {
    this.#before = [this.#before[1], requests];
  }
}
