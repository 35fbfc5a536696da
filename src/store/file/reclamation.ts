// Epoch-based reclamation: removes obsolete files and the rows of readers once nothing reads them.

interface Epoch {
  pins: number;
  readonly garbage: (() => void)[];
}

const newEpoch = (): Epoch => ({ pins: 0, garbage: [] });

export class Reclamation {
  readonly #epochs: Epoch[] = [newEpoch()];

  /** Keeps everything that is not retired yet until the returned function is called, once. */
  pin(): () => void {
    const epoch = this.#current;
    epoch.pins += 1;
    return () => {
      epoch.pins -= 1;
      this.#collect();
    };
  }

  /** Calls `dispose` as soon as all pins that were taken before are released. */
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
