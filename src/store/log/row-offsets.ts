// Where the rows of one generation are in its log: by row number, in typed arrays that grow.

export class RowOffsets {
  #offsets = new Float64Array(64);
  #bytes = new Uint32Array(64);
  #count = 0;
  readonly #frameRows: number[] = [];
  readonly #frameOffsets: number[] = [];

  get count(): number {
    return this.#count;
  }

  /** The next row, `bytes` long, at `offset` of the file. */
  add(offset: number, bytes: number): void {
    if (this.#count === this.#offsets.length) this.#grow();
    this.#offsets[this.#count] = offset;
    this.#bytes[this.#count] = bytes;
    this.#count += 1;
  }

  /** A frame, before its rows. */
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

  /** The offset of the last frame that begins with `row` or an earlier one, and the number of its first row. */
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
