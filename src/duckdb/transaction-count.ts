// Counts the write transactions of a database: in one of its tables, and after each commit in a high-water mark beside it.
// A database whose log was lost has a smaller count than the file.
import type { Connection } from './connection.js';
import { hasTable } from './has-table.js';
import { HighWaterMark, readHighWaterMark } from './high-water-mark.js';
import { sql } from './sql.js';

const markFileOf = (databaseFile: string): string => `${databaseFile}.transactions`;

/** The number of transactions that were on disk at some time; null if it is not known. */
export const recordedTransactions = (databaseFile: string): Promise<bigint | null> =>
  readHighWaterMark(markFileOf(databaseFile));

/** The files beside a database: its log and its high-water mark. */
export const filesBeside = (databaseFile: string): readonly string[] => [
  `${databaseFile}.wal`,
  markFileOf(databaseFile),
];

export class TransactionCount {
  readonly #file: string;
  #count = 0n;
  #next = 0n;
  #mark: HighWaterMark | undefined;

  constructor(databaseFile: string) {
    this.#file = markFileOf(databaseFile);
  }

  /** The number of committed transactions. */
  get value(): bigint {
    return this.#count;
  }

  /** Reads the count. Called each time the database was opened. */
  async load(connection: Pick<Connection, 'read'>): Promise<void> {
    const [row] = (await hasTable(connection, 'transaction_count'))
      ? await connection.read(sql`SELECT transactions FROM transaction_count`)
      : [];
    this.#count = (row?.['transactions'] as bigint | undefined) ?? 0n;
    this.#next = this.#count;
  }

  /** Counts the running transaction of the connection, and returns its number. */
  async add(connection: Pick<Connection, 'run'>): Promise<bigint> {
    this.#next = this.#count + 1n;
    if (this.#count > 0n)
      await connection.run(sql`UPDATE transaction_count SET transactions = ${this.#next}`);
    else {
      await connection.run(sql`CREATE TABLE transaction_count (transactions BIGINT)`);
      await connection.run(sql`INSERT INTO transaction_count VALUES (${this.#next})`);
    }
    return this.#next;
  }

  /** Called when the last counted transaction is on disk. */
  async committed(): Promise<void> {
    this.#count = this.#next;
    if (this.#mark === undefined)
      this.#mark = await HighWaterMark.open(this.#file, this.#count).catch(() => undefined);
    else this.#mark.write(this.#count);
  }

  async close(): Promise<void> {
    const mark = this.#mark;
    this.#mark = undefined;
    await mark?.close();
  }
}
