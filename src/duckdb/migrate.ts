// Numbered schema steps of one component, each applied once and recorded in the `migration` table.
import type { Connection } from './connection.js';
import { hasTable } from './has-table.js';
import { sql, type Sql } from './sql.js';
import type { Writer } from './writer.js';

/** The statements of a step. */
export type Step = readonly Sql[];

type Database = Pick<Connection, 'read'>;

/** The number of recorded steps of `component`. */
async function applied(database: Database, component: string): Promise<number> {
  if (!(await hasTable(database, 'migration'))) return 0;
  const [row] = await database.read(
    sql`SELECT count(*) AS steps FROM migration WHERE component = ${component}`,
  );
  return Number(row?.['steps'] ?? 0);
}

/**
 * Called before anything is written to the database. Changes nothing.
 * @param known the number of steps that this release knows, by component
 * @throws Error if a newer release with more steps wrote the database
 */
export async function refuseNewer(
  database: Database,
  known: Readonly<Record<string, number>>,
): Promise<void> {
  for (const [component, steps] of Object.entries(known)) {
    const done = await applied(database, component);
    if (done > steps)
      throw new Error(
        `the data directory was written by a newer release: ${component} has ${done} migrations, this release knows ${steps}`,
      );
  }
}

/**
 * Applies the steps that are not recorded yet, one transaction each. Writes nothing if there are none. New steps are appended.
 * @throws Error if a newer release with more steps wrote the database
 */
export async function migrate(
  writer: Writer,
  component: string,
  steps: readonly Step[],
): Promise<void> {
  await refuseNewer(writer, { [component]: steps.length });
  const done = await applied(writer, component);
  if (done === steps.length) return;
  await writer.transaction((connection) =>
    connection.run(sql`
      CREATE TABLE IF NOT EXISTS migration (
        component VARCHAR, step BIGINT, applied TIMESTAMP, PRIMARY KEY (component, step))`),
  );
  for (const [index, step] of [...steps.entries()].slice(done)) {
    await writer.transaction(async (connection) => {
      for (const statement of step) await connection.run(statement);
      await connection.run(
        sql`INSERT INTO migration VALUES (${component}, ${BigInt(index)}, current_localtimestamp())`,
      );
    });
  }
}
