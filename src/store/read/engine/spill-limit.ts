// Limits what an instance spills to the free space of the disk above the reserve. The engine's own limit is nine tenths of what
// was free when it was opened.
import type { Connection } from '../../../duckdb/connection.js';
import { spillingAtMost } from '../../../duckdb/database.js';
import { isEngineError } from '../../../duckdb/engine-error.js';

/** The limit is set again when it would change by this share: setting it takes 0.2 ms. */
const changeShare = 1 / 8;

export class SpillLimit {
  readonly #room: () => Promise<number>;
  #bytes: number | undefined;

  /** @param room what the disk has room for, in bytes */
  constructor(room: () => Promise<number>) {
    this.#room = room;
  }

  /** Sets the limit of the connection's instance, before its queries. */
  async apply(connection: Pick<Connection, 'run'>): Promise<void> {
    const bytes = await this.#room();
    if (!this.#isChange(bytes)) return;
    try {
      await connection.run(spillingAtMost(bytes));
      this.#bytes = bytes;
    } catch (error) {
      // Running queries have spilled more: the next one sets the limit.
      if (!isEngineError(error, 'storage')) throw error;
    }
  }

  #isChange(bytes: number): boolean {
    if (!Number.isFinite(bytes)) return false;
    const before = this.#bytes;
    return before === undefined || Math.abs(bytes - before) > before * changeShare;
  }
}
