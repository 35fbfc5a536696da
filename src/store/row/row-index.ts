// An in-memory index of the latest version of each event id. Inserts use it to find the rows that they supersede or merge
// into; reads by id and by trace use it, too.
import type { RowLocation } from './event-table.js';

/** Row locations by object and id. A later location replaces an earlier one. */
export class RowIndex {
  readonly #objects = new Map<string, Map<string, RowLocation>>();
  /** By object and trace: the ids of its rows, and of those that have moved to another trace since. */
  readonly #traces = new Map<string, Map<string, string[]>>();

  get objectIds(): Iterable<string> {
    return this.#objects.keys();
  }

  find(objectId: string, id: string): RowLocation | undefined {
    return this.#objects.get(objectId)?.get(id);
  }

  /** The locations of the rows of the object by id; undefined for none. */
  ofObject(objectId: string): ReadonlyMap<string, RowLocation> | undefined {
    return this.#objects.get(objectId);
  }

  set(objectId: string, id: string, location: RowLocation): void {
    let ids = this.#objects.get(objectId);
    if (ids === undefined) this.#objects.set(objectId, (ids = new Map()));
    ids.set(id, location);
  }

  addToTrace(objectId: string, rootSpanId: string, id: string): void {
    let traces = this.#traces.get(objectId);
    if (traces === undefined) this.#traces.set(objectId, (traces = new Map()));
    const ids = traces.get(rootSpanId);
    if (ids === undefined) traces.set(rootSpanId, [id]);
    else ids.push(id);
  }

  idsOfTrace(objectId: string, rootSpanId: string): readonly string[] {
    return this.#traces.get(objectId)?.get(rootSpanId) ?? [];
  }
}

/** One index per generation, so that a flushed generation is dropped in one step. */
export class GenerationIndexes {
  /** The newest first. */
  #generations: readonly { readonly source: number; readonly index: RowIndex }[] = [];

  /** The location in the newest generation that has the id. */
  find(objectId: string, id: string): RowLocation | undefined {
    for (const { index } of this.#generations) {
      const found = index.find(objectId, id);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** For each generation with rows of the object, newest first, the locations of these rows by id. */
  ofObject(objectId: string): readonly ReadonlyMap<string, RowLocation>[] {
    return this.#generations.flatMap(({ index }) => index.ofObject(objectId) ?? []);
  }

  /** The ids of all rows of the traces, and perhaps of others. */
  idsOfTraces(objectId: string, rootSpanIds: readonly string[]): readonly string[] {
    return rootSpanIds.flatMap((rootSpanId) =>
      this.#generations.flatMap(({ index }) => index.idsOfTrace(objectId, rootSpanId)),
    );
  }

  /** The index of a generation. Generations are added in ascending order. */
  of(source: number): RowIndex {
    const known = this.#generations.find((generation) => generation.source === source);
    if (known !== undefined) return known.index;
    const index = new RowIndex();
    this.#generations = [{ source, index }, ...this.#generations];
    return index;
  }

  drop(source: number): void {
    this.#generations = this.#generations.filter((generation) => generation.source !== source);
  }
}
