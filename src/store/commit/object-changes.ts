// Which transaction last wrote rows of each object: its rows are the same at all versions from there on, until the next one.
import { randomUUID } from 'node:crypto';

export class ObjectChanges {
  readonly #last = new Map<string, bigint>();
  /** Of objects without an entry: nothing was written to them since. */
  #others: bigint;
  /** Another one each time that the store is opened: a data directory can be replaced while no server runs. */
  #epoch = randomUUID();

  constructor(lastXactId: bigint) {
    this.#others = lastXactId;
  }

  /** Called in the moment in which the transaction is committed. */
  note(objectIds: Iterable<string>, xactId: bigint): void {
    for (const objectId of objectIds) this.#last.set(objectId, xactId);
  }

  /** The last transaction that wrote to the object, or a later one that did not. */
  of(objectId: string): bigint {
    return this.#last.get(objectId) ?? this.#others;
  }

  /** Every object may have been written to, up to that transaction. */
  reset(lastXactId: bigint): void {
    this.#last.clear();
    this.#others = lastXactId;
    this.#epoch = randomUUID();
  }

  /** Equal for the same objects at two versions with the same rows. */
  identity(objectIds: readonly string[], version: bigint): string {
    const rows = objectIds.map((id) => [id, String(least(this.of(id), version))]);
    return JSON.stringify([this.#epoch, ...rows]);
  }
}

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);
