// The offsets of the rows of one generation in its log, by row number.

export class RowOffsets {
  #offsets = new Float64Array(64);
  #bytes = new Uint32Array(64);
  #count = 0;
  readonly #frameRows: number[] = [];
  readonly #frameOffsets: number[] = [];

  get count(): number {
    return this.#count;
  }

  /** Adds the next row, which has `bytes` bytes at `offset`. */
  add(offset: number, bytes: number): void {
    if (this.#count === this.#offsets.length) this.#grow();
    this.#offsets[this.#count] = offset;
    this.#bytes[this.#count] = bytes;
    this.#count += 1;
  }

  /** Adds a frame. Called before its rows are added. */
  addFrame(offset: number): void {
    this.#frameRows.push(this.#count);
    this.#frameOffsets.push(offset);
  }

  offset(row: number): number {
    return this.#offsets[row]!;
  }

  bytes(row: number): number {
    return this.#bytes[row]!;
  }

  /** The offset and the first row number of the frame that contains `row`. */
  frameOf(row: number): { readonly offset: number; readonly firstRow: number } {
    let low = 0;
    let high = this.#frameRows.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#frameRows[middle]! <= row) low = middle;
      else high = middle - 1;
    }
    return { offset: this.#frameOffsets[low] ?? 0, firstRow: this.#frameRows[low] ?? 0 };
  }

  #grow(): void {
    const offsets = new Float64Array(2 * this.#count);
    offsets.set(this.#offsets);
    this.#offsets = offsets;
    const bytes = new Uint32Array(2 * this.#count);
    bytes.set(this.#bytes);
    this.#bytes = bytes;
  }
}
