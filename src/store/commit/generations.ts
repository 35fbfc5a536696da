// Creates and drops generations of buffered rows. A generation has a log, and is listed in the manifest until its rows are
// in segments.
import { sql } from '../../duckdb/sql.js';
import type { Writer } from '../../duckdb/writer.js';
import type { EventLog } from '../log/event-log.js';
import { emptyGeneration, type StoreChange, type StoreState } from '../manifest/store-state.js';

export class Generations {
  readonly #writer: Writer;
  readonly #log: EventLog;

  constructor(writer: Writer, log: EventLog) {
    this.#writer = writer;
    this.#log = log;
  }

  /** Seals the active generation and creates a new one with the number `source`. */
  async seal(state: StoreState, source: number): Promise<StoreChange> {
    const active = emptyGeneration(source, state.lastXactId);
    await this.#log.create(source);
    await this.#writer.transaction((connection) =>
      connection.run(
        sql`INSERT INTO buffer_generation VALUES (${BigInt(source)}, ${state.lastXactId})`,
      ),
    );
    const sealed = [...state.sealed, state.active];
    return {
      state: { ...state, change: state.change + 1, sealed, active },
      supersede: () => {},
    };
  }

  /** Removes the logs of flushed generations. */
  discard(sources: readonly number[]): Promise<void> {
    return this.#log.discard(sources);
  }
}
