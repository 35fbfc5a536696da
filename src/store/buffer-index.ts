// The latest row version of every id of the write buffer, in memory: what an insert supersedes or merges into.
import type { RowPlace } from './event-table.js';

/** Ids by object; later places replace earlier ones. */
export class BufferIndex {
  readonly #objects = new Map<string, Map<string, RowPlace>>();

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
