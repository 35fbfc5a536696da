// The latest buffered row version of every id, in memory: what an insert supersedes or merges into.
import type { RowPlace } from '../event-table.js';

/** Ids by object; later places replace earlier ones. */
export class BufferIndex {
  readonly #objects = new Map<string, Map<string, RowPlace>>();

  get objectIds(): Iterable<string> {
    return this.#objects.keys();
  }

  place(objectId: string, id: string): RowPlace | undefined {
    return this.#objects.get(objectId)?.get(id);
  }

  set(objectId: string, id: string, place: RowPlace): void {
    let ids = this.#objects.get(objectId);
    if (ids === undefined) this.#objects.set(objectId, (ids = new Map()));
    ids.set(id, place);
  }

  /** Takes over every place of `newer`. */
  absorb(newer: BufferIndex): void {
    for (const [objectId, ids] of newer.#objects)
      for (const [id, place] of ids) this.set(objectId, id, place);
  }
}

/** One index per generation, so that those of a flushed generation go at once. */
export class GenerationIndexes {
  readonly #sources: number[] = [];
  readonly #indexes = new Map<number, BufferIndex>();

  /** The place in the newest generation that has the id. */
  place(objectId: string, id: string): RowPlace | undefined {
    for (let age = this.#sources.length - 1; age >= 0; age--) {
      const found = this.#indexes.get(this.#sources[age]!)?.place(objectId, id);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** The index of a generation; generations come in their order. */
  of(source: number): BufferIndex {
    let index = this.#indexes.get(source);
    if (index === undefined) {
      this.#indexes.set(source, (index = new BufferIndex()));
      this.#sources.push(source);
    }
    return index;
  }

  drop(source: number): void {
    this.#indexes.delete(source);
    const at = this.#sources.indexOf(source);
    if (at !== -1) this.#sources.splice(at, 1);
  }
}
