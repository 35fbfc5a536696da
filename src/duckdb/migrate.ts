// Numbered schema steps of one component, each applied once and recorded in the `migration` table.
import { sql, type Sql } from './sql.js';
import type { Writer } from './writer.js';

/** How many steps of `component` are recorded. */
async function applied(writer: Writer, component: string): Promise<number> {
  const [row] = await writer.read(
    sql`SELECT count(*) AS steps FROM migration WHERE component = ${component}`,
  );
  return Number(row?.['steps'] ?? 0);
}

/**
 * Applies the steps that are not recorded yet, one transaction each. Steps are only ever added at the end.
 * @throws Error when the database was written by a newer version that knows more steps
 */
export async function migrate(
  writer: Writer,
  component: string,
  steps: readonly (readonly Sql[])[],
): Promise<void> {
  await writer.transaction((connection) =>
    connection.run(sql`
      CREATE TABLE IF NOT EXISTS migration (
        component VARCHAR, step BIGINT, applied TIMESTAMP, PRIMARY KEY (component, step))`),
  );
  const done = await applied(writer, component);
  if (done > steps.length)
    throw new Error(
      `the data directory was written by a newer version: ${component} has ${done} migrations, this version knows ${steps.length}`,
    );
  for (const [index, statements] of [...steps.entries()].slice(done)) {
    await writer.transaction(async (connection) => {
      for (const statement of statements) await connection.run(statement);
      await connection.run(
        sql`INSERT INTO migration VALUES (${component}, ${BigInt(index)}, current_localtimestamp())`,
      );
    });
  }
}
