// Whether the reader has to be kept up with what is committed, or can take it up later, all at once.

/** A reader that was asked for lately is kept up with everything. */
const askedLatelyMs = 2_000;
/** Else rows wait from the time on when so many come … */
const waitingRows = 256;
/** … within so long, until nothing has come for as long, or somebody asks. */
const calmMs = 500;

export class ReaderDemand {
  readonly #now: () => number;
  readonly #due: () => void;
  #askedAt = -Infinity;
  #waits = false;
  #countedFrom = -Infinity;
  #rows = 0;
  #timer: NodeJS.Timeout | undefined;

  /** `due` is called when what waits is to be taken up. `now` in milliseconds. */
  constructor(now: () => number, due: () => void) {
    this.#now = now;
    this.#due = due;
  }

  /** To be called for every read. */
  asked(): void {
    this.#askedAt = this.#now();
  }

  /** Whether a change that adds so many rows, and all that is committed by now, can be taken up later. */
  canWait(rows: number): boolean {
    const isMuch = this.#count(rows) >= waitingRows;
    if (this.#now() - this.#askedAt < askedLatelyMs) return false;
    if (!this.#waits && !isMuch) return false;
    this.#waits = true;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#due, calmMs).unref();
    return true;
  }

  /** To be called when the reader takes up what waits. */
  met(): void {
    this.#waits = false;
    clearTimeout(this.#timer);
  }

  /** The rows that came of late. */
  #count(rows: number): number {
    const now = this.#now();
    if (now - this.#countedFrom > calmMs) {
      this.#countedFrom = now;
      this.#rows = 0;
    }
    this.#rows += rows;
    return this.#rows;
  }

  close(): void {
    clearTimeout(this.#timer);
  }
}
