// Keeps tables and files that are no longer part of the store until every read that may use them has ended.

interface Epoch {
  pins: number;
  readonly garbage: (() => void)[];
}

const newEpoch = (): Epoch => ({ pins: 0, garbage: [] });

export class Retention {
  readonly #epochs: Epoch[] = [newEpoch()];

  /** Everything that is not retired yet stays until the function it returns is called. */
  pin(): () => void {
    const epoch = this.#current;
    let pinned = true;
    epoch.pins += 1;
    return () => {
      if (!pinned) return;
      pinned = false;
      epoch.pins -= 1;
      this.#collect();
    };
  }

  /** Calls `dispose` as soon as all pins taken before are gone. */
  retire(dispose: () => void): void {
    this.#current.garbage.push(dispose);
    this.#epochs.push(newEpoch());
    this.#collect();
  }

  get #current(): Epoch {
    return this.#epochs.at(-1)!;
  }

  #collect(): void {
    while (this.#epochs.length > 1 && this.#epochs[0]!.pins === 0)
      for (const dispose of this.#epochs.shift()!.garbage) dispose();
  }
}
