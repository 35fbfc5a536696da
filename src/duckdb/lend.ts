import type { Connection } from './connection.js';

interface Lender {
  connect(): Promise<Connection>;
  disconnect(connection: Connection): void;
}

/** Lends a connection for the time of `work`. */
export async function lend<T>(
  database: Lender,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = await database.connect();
  try {
    return await work(connection);
  } finally {
    database.disconnect(connection);
  }
}
