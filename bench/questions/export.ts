// Export of everything to one Parquet file: the same rows must be in it, then times count.
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import type { Contender } from '../contenders/contender.js';
import { jsonTextColumns } from '../contenders/leaf-columns.js';
import { secondsOf } from '../measure.js';
import { outcomesOf, refusalOf, standingsOf, type Outcome } from './ask.js';

export const exportQuestion = {
  name: 'export',
  group: 'export',
  title: 'all rows to one Parquet file',
} as const;

const compared = ['id', 'span_id', 'root_span_id', ...jsonTextColumns];

/** A column that holds nothing but strings may hold them as they are instead of as JSON. */
const textOf = (name: string): string =>
  `CASE WHEN ${name} LIKE '"%"' THEN coalesce(TRY(${name}->>'$'), ${name}) ELSE ${name} END`;

/** The number of rows and a hash of their values, whatever their order. */
async function contentOf(file: string): Promise<string> {
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  try {
    const texts = compared.map((name) => `coalesce(${textOf(name)}, '')`).join(', ');
    const reader = await connection.runAndReadAll(
      `SELECT count(*), bit_xor(hash(concat_ws(chr(31), ${texts}))) FROM read_parquet('${file}')`,
    );
    return [0, 1].map((column) => String(reader.value(column, 0))).join(' rows with hash ');
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** Rounds over all contenders that can; the file of each holds what that of the first holds. */
export async function askExport(
  contenders: readonly Contender[],
  directory: string,
  rounds: number,
): Promise<readonly Outcome[]> {
  const standings = standingsOf(
    contenders.filter(({ exportParquet }) => exportParquet !== undefined),
  );
  const file = path.join(directory, 'export.parquet');
  let expected: string | null = null;
  for (let round = 0; round <= rounds; round++) {
    for (const [contender, standing] of standings) {
      if (standing.refusal !== null) continue;
      try {
        const seconds = await secondsOf(async () => contender.exportParquet?.(file));
        const content = await contentOf(file);
        expected ??= content;
        if (content !== expected)
          standing.refusal = { status: 'wrong', reason: `expected ${expected}, got ${content}` };
        if (round > 0) standing.milliseconds.push(seconds * 1000);
      } catch (error) {
        standing.refusal = refusalOf(error);
      }
      await rm(file, { force: true });
    }
  }
  return outcomesOf(standings, exportQuestion.name);
}
