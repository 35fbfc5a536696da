// The last transaction that wrote to each object. The rows of an object are equal at all versions since then, until some are
// removed.
import { randomUUID } from 'node:crypto';
import { minBigint } from '../../schema/xact-id.js';
import type { StoreState } from '../manifest/store-state.js';

export class LastWrites {
  readonly #last = new Map<string, bigint>();
  /** The transaction for objects without an entry. Nothing was written to them since then. */
  #others: bigint;
  /** A random id, new each time the state is read from disk, since the data directory may have been replaced. */
  #epoch = randomUUID();

  constructor(lastXactId: bigint) {
    this.#others = lastXactId;
  }

  /** Called at the commit of the transaction. */
  note(objectIds: Iterable<string>, xactId: bigint): void {
    for (const objectId of objectIds) this.#last.set(objectId, xactId);
  }

  /** The last transaction that wrote to the object, or a later one that did not. */
  of(objectId: string): bigint {
    return this.#last.get(objectId) ?? this.#others;
  }

  /** Assumes that every object was written to up to that transaction. */
  reset(lastXactId: bigint): void {
    this.#last.clear();
    this.#others = lastXactId;
    this.#epoch = randomUUID();
  }

  /** Returns equal texts for two versions of the same objects only if they have the same rows in their states. */
  identity(
    objectIds: readonly string[],
    version: bigint,
    { removals }: Pick<StoreState, 'removals'>,
  ): string {
    const rows = objectIds.map((id) => [
      id,
      String(minBigint(this.of(id), version)),
      removals.get(id) ?? 0,
    ]);
    return JSON.stringify([this.#epoch, ...rows]);
  }
}
