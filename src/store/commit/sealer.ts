// Decides when the active generation is full or old enough to be flushed, and has it sealed.
import type { Committer } from './committer.js';
import type { Generation } from '../store-state.js';
import type { Generations } from './generations.js';

export interface SealLimits {
  readonly rows: number;
  readonly bytes: number;
  readonly seconds: number;
  /** A generation that is not small is sealed when nothing has come for so long. */
  readonly calmSeconds: number;
}

/** What less is buffered takes up too little to be worth a segment of its own. */
const calmBytes = 8 * 2 ** 20;

/** While so many wait to be flushed the active one grows instead: few large segments, not many small ones. */
const sealedMax = 8;

export class Sealer {
  readonly #limits: SealLimits;
  readonly #committer: Committer;
  readonly #generations: Generations;
  readonly #nextSource: () => number;
  readonly #sealed: () => void;
  #timer: NodeJS.Timeout | undefined;
  #timed = 0;
  #calmTimer: NodeJS.Timeout | undefined;
  #asked = false;

  /** `sealed` is called after every sealing. */
  constructor(
    limits: SealLimits,
    committer: Committer,
    generations: Generations,
    nextSource: () => number,
    sealed: () => void,
  ) {
    this.#limits = limits;
    this.#committer = committer;
    this.#generations = generations;
    this.#nextSource = nextSource;
    this.#sealed = sealed;
  }

  /** To be called at the start and after every change. */
  check(): void {
    const { active } = this.#committer.state;
    if (active.rowCount > 0) this.#watchAge(active);
    this.#watchCalm(active);
    if (this.#asked || !this.#isFull()) return;
    this.#asked = true;
    // When it fails, the next change asks again.
    this.seal(() => this.#isFull())
      .catch(() => {})
      .finally(() => (this.#asked = false));
  }

  /** Seals the active generation if it has rows and `wanted` still holds when its turn comes. */
  async seal(wanted: (active: Generation) => boolean = () => true): Promise<void> {
    await this.#committer.change(async (state) =>
      state.active.rowCount > 0 && wanted(state.active)
        ? this.#generations.seal(state, this.#nextSource())
        : null,
    );
    this.#sealed();
  }

  close(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#calmTimer);
  }

  #isFull(): boolean {
    const { active, sealed } = this.#committer.state;
    const { rows, bytes } = this.#limits;
    return sealed.length < sealedMax && (active.rowCount >= rows || active.bytes >= bytes);
  }

  #watchAge({ source }: Generation): void {
    if (this.#timed === source) return;
    this.#timed = source;
    clearTimeout(this.#timer);
    const tooOld = () => {
      this.#timed = 0;
      this.seal((active) => active.source === source).catch(() => {});
    };
    this.#timer = setTimeout(tooOld, this.#limits.seconds * 1000).unref();
  }

  #watchCalm({ bytes }: Generation): void {
    clearTimeout(this.#calmTimer);
    if (bytes < calmBytes) return;
    const isCalm = () => void this.seal(({ bytes: now }) => now === bytes).catch(() => {});
    this.#calmTimer = setTimeout(isCalm, this.#limits.calmSeconds * 1000).unref();
  }
}
