// What the current snapshots of tables show, and which snapshots stay because somebody reads them.
import type { StoreState } from '../manifest/store-state.js';
import type { Segment } from '../segment/segment.js';

/** The current snapshot of a table. */
export interface ShownTable {
  /** The id of the snapshot. */
  readonly number: number;
  /** The transaction up to which it has the rows of the project. */
  readonly version: bigint;
  readonly segments: readonly Segment[];
  /** As in the state that it shows. */
  readonly removals: StoreState['removals'];
}

export interface HeldTable extends ShownTable {
  /** The snapshot may go. To be called once. */
  readonly release: () => void;
}

export class HeldTables {
  /** By project. */
  readonly #shown = new Map<string, ShownTable>();
  readonly #held = new Map<string, HeldTable[]>();

  /** @param table null if it has none any more */
  show(projectId: string, table: ShownTable | null): void {
    if (table === null) this.#shown.delete(projectId);
    else this.#shown.set(projectId, table);
  }

  /**
   * Keeps the current snapshot until it is released, unless rows are removed for good meanwhile.
   * @returns null if it lacks transactions up to `version`
   */
  hold(projectId: string, version: bigint): HeldTable | null {
    const shown = this.#shown.get(projectId);
    if (shown === undefined || shown.version < version) return null;
    const release = () => {
      const others = this.#holding(projectId).filter((each) => each !== held);
      if (others.length === 0) this.#held.delete(projectId);
      else this.#held.set(projectId, others);
    };
    const held: HeldTable = { ...shown, release };
    this.#held.set(projectId, [...this.#holding(projectId), held]);
    return held;
  }

  /** The ids of the snapshots that are held. */
  numbers(projectId: string): ReadonlySet<number> {
    return new Set(this.#holding(projectId).map(({ number }) => number));
  }

  #holding(projectId: string): readonly HeldTable[] {
    return this.#held.get(projectId) ?? [];
  }
}
