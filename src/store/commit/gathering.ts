// Waits a moment for requests that are likely to come, so that they share a group: one costs as much for a row as for many.

/** Clients that were just answered send their next request within so long. */
const waitMs = 2;
/** A group of so many rows costs little more than its rows do. */
const rowsMax = 256;

export class Gathering {
  #expected = 0;
  #complete: (() => void) | undefined;

  /** `requests` were answered or wait at the same time: as many may come again. */
  expect(requests: number): void {
    // A client on its own never waits for others.
    this.#expected = requests > 1 ? requests : 0;
  }

  /** To be called when a request comes; so many wait by now. */
  came(waiting: number): void {
    if (waiting >= this.#expected) this.#complete?.();
  }

  /** Resolves when as many wait as are expected, at once when there are many rows. */
  async wait(waiting: number, rows: number): Promise<void> {
    if (waiting >= this.#expected || rows >= rowsMax) return;
    await new Promise<void>((resolve) => {
      this.#complete = resolve;
      setTimeout(resolve, waitMs);
    });
    this.#complete = undefined;
  }
}
