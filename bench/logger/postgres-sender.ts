// The rows of loggers sent to PostgreSQL: each request is one prepared statement, and its own durable transaction. The body of
// the request is its only parameter, which the server parses, so the client has next to nothing to do.
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir, totalmem } from 'node:os';
import path from 'node:path';
import { Pool } from 'pg';
import { columns, names } from '../contenders/postgres-columns.js';
import { added } from '../contenders/postgres-ingester.js';
import { startPostgres, type PostgresProcess } from '../contenders/postgres-process.js';
import { tableSql } from '../contenders/postgres.js';
import { secondsBelow } from '../machine-load.js';
import type { Sender } from './sender.js';

const connectionsMax = 64;

const insertRows = `INSERT INTO stored (${names})
  SELECT ${names} FROM json_to_recordset($1::json->'rows') AS batch(${columns})`;

const replaced = (name: string): string => `${name} = coalesce(EXCLUDED.${name}, stored.${name})`;

/** What the end of a root brings. */
const mergeRows = `${insertRows} ON CONFLICT (object, id) DO UPDATE SET
  ${['input', 'output', 'tags'].map(replaced).join(', ')}, ${['scores', 'metrics'].map(added).join(', ')}`;

async function connect(server: PostgresProcess): Promise<Pool> {
  const pool = new Pool({
    host: '127.0.0.1',
    port: server.port,
    user: server.user,
    database: 'postgres',
    max: connectionsMax,
  });
  await pool.query(tableSql);
  return pool;
}

export async function openPostgresSender(): Promise<Sender> {
  const directory = await mkdtemp(path.join(tmpdir(), 'evalstore-postgres-'));
  // It runs under an account of its own.
  await chmod(directory, 0o755);
  const surroundings = {
    directory,
    root: directory,
    threads: availableParallelism(),
    memoryMb: Math.floor(totalmem() / 2 ** 21),
    leaves: [],
  };
  try {
    const server = await startPostgres(surroundings);
    const pool = await connect(server);
    return {
      name: 'PostgreSQL',
      projectId: 'none',
      send: (body, isMerge) =>
        pool.query({
          name: isMerge ? 'merge' : 'insert',
          text: isMerge ? mergeRows : insertRows,
          values: [body],
        }),
      cpuSeconds: () => secondsBelow(server.pid),
      close: async () => {
        await pool.end();
        await server.stop();
        await rm(directory, { recursive: true });
      },
    };
  } catch (error) {
    await rm(directory, { recursive: true });
    throw error;
  }
}
