// Makes the buffered rows of a data directory readable for the statements of a check. No server may use the directory.
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Connection } from '../../duckdb/connection.js';
import { hasTable } from '../../duckdb/has-table.js';
import { readParquet } from '../../duckdb/parquet.js';
import { sql, type Sql } from '../../duckdb/sql.js';
import type { Supersession } from '../row/event-table.js';
import { logFile } from '../log/event-log.js';
import { inspectLog } from '../log/read-log.js';
import { wholeLog, writeRowsFile } from '../log/rows-file.js';
import { readGenerations } from '../manifest/generations.js';

export interface LogDirectories {
  readonly directory: string;
  /** The directory of temporary files for the statements. */
  readonly temporaryDirectory: string;
}

export interface RowSource {
  readonly source: number;
  /** SELECT of (object_id, id, _xact_id, _row, _superseded_by). */
  readonly rows: Sql;
}

export interface BufferedSources {
  readonly sources: readonly RowSource[];
  /** The supersessions by their rows, including those of rows in dropped sources. */
  readonly supersessions: readonly Supersession[];
  readonly problems: readonly string[];
}

export async function bufferedSources(
  connection: Connection,
  directories: LogDirectories,
): Promise<BufferedSources> {
  const sources: RowSource[] = [];
  const supersessions: Supersession[] = [];
  const problems: string[] = [];
  const hasGenerations = await hasTable(connection, 'buffer_generation');
  for (const { source } of hasGenerations ? await readGenerations(connection) : []) {
    const found = await readLog(source, directories);
    if (typeof found === 'string') problems.push(found);
    else {
      sources.push({ source, rows: versionsIn(readParquet(found.file)) });
      // They may be too many for the arguments of a call.
      for (const each of found.supersessions) supersessions.push(each);
    }
  }
  return { sources, supersessions, problems };
}

/** Writes the rows of the log to a file, or returns a sentence about its damage. */
async function readLog(source: number, { directory, temporaryDirectory }: LogDirectories) {
  const log = logFile(directory, source);
  if (!existsSync(log)) return `the log ${path.basename(log)} is missing`;
  const { rows, end, supersessions, damage } = await inspectLog(log, source);
  if (damage !== null) return damage;
  const file = path.join(temporaryDirectory, `rows-${source}.parquet`);
  await writeRowsFile(wholeLog(log, source, { rows, end }, file));
  return { file, supersessions };
}

const versionsIn = (rows: Sql): Sql =>
  sql`SELECT object_id, id, _xact_id, _row, NULL::BIGINT AS _superseded_by FROM ${rows}`;
