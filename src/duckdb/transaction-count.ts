// How many write transactions a database has had: in a table of it, which each transaction updates, and noted in a file beside it
// once the transaction is on disk. A database whose log was lost has had fewer than the file says.
import type { Connection } from './connection.js';
import { NotedNumber, readNoted } from './noted-number.js';
import { sql } from './sql.js';

const noteOf = (databaseFile: string): string => `${databaseFile}.transactions`;

/** How many transactions of the database were on disk once; null when that is not known. */
export const notedTransactions = (databaseFile: string): Promise<bigint | null> =>
  readNoted(noteOf(databaseFile));

/** The files of a database beside its own: its log, and the note. */
export const filesBeside = (databaseFile: string): readonly string[] => [
  `${databaseFile}.wal`,
  noteOf(databaseFile),
];

export class TransactionCount {
  readonly #file: string;
  #count = 0n;
  #next = 0n;
  #note: NotedNumber | undefined;

  constructor(databaseFile: string) {
    this.#file = noteOf(databaseFile);
  }

  /** Of those that are committed. */
  get value(): bigint {
    return this.#count;
  }

  /** To be called whenever the database was opened. */
  async load(connection: Pick<Connection, 'read'>): Promise<void> {
    const tables = await connection.read(sql`
      SELECT 1 FROM duckdb_tables()
      WHERE table_name = 'transaction_count' AND database_name = current_database()`);
    const [row] =
      tables.length === 0
        ? []
        : await connection.read(sql`SELECT transactions FROM transaction_count`);
    this.#count = (row?.['transactions'] as bigint | undefined) ?? 0n;
    this.#next = this.#count;
  }

  /** Counts the transaction that runs on the connection. */
  async add(connection: Pick<Connection, 'run'>): Promise<void> {
    this.#next = this.#count + 1n;
    if (this.#count > 0n) {
      await connection.run(sql`UPDATE transaction_count SET transactions = ${this.#next}`);
      return;
    }
    await connection.run(sql`CREATE TABLE transaction_count (transactions BIGINT)`);
    await connection.run(sql`INSERT INTO transaction_count VALUES (${this.#next})`);
  }

  /** The transaction that was counted last is on disk. */
  async committed(): Promise<void> {
    this.#count = this.#next;
    if (this.#note === undefined)
      this.#note = await NotedNumber.open(this.#file, this.#count).catch(() => undefined);
    else this.#note.write(this.#count);
  }

  async close(): Promise<void> {
    const note = this.#note;
    this.#note = undefined;
    await note?.close();
  }
}
