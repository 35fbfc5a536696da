// Events sent one by one to PostgreSQL: prepared statements, each its own durable transaction.
import type { Pool } from 'pg';
import type { Ingester, Stored } from './contender.js';
import { columns, names } from './postgres-columns.js';

const insertEvent = `INSERT INTO stored (object, ${names})
  SELECT $2, ${names} FROM json_to_record($1::json) AS one(${columns})`;

/** The keys of a JSON object added to those that are stored. */
export const added = (name: string): string =>
  `${name} = coalesce(stored.${name} || EXCLUDED.${name}, EXCLUDED.${name}, stored.${name})`;

/** What the end of a span brings: its output, and more keys of its scores and metrics. */
const mergeEvent = `${insertEvent} ON CONFLICT (object, id) DO UPDATE SET
  output = coalesce(EXCLUDED.output, stored.output), ${added('scores')}, ${added('metrics')}`;

const countEvents = `SELECT count(*)::int AS rows, count(metrics->'end')::int AS ended FROM stored WHERE object = $1`;

/** All rows of the object are this ingester's. The pool is closed with it. */
export const openPostgresIngester = (pool: Pool, object: number): Ingester => ({
  send: (event, isMerge) =>
    pool.query({
      name: isMerge ? 'merge' : 'insert',
      text: isMerge ? mergeEvent : insertEvent,
      values: [event, object],
    }),
  stored: async () => (await pool.query<Stored>(countEvents, [object])).rows[0] ?? null,
  close: () => pool.end(),
});
