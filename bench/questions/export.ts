// Export of everything to one Parquet file: the same rows must be in it, then times count.
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { Unsupported, type Contender } from '../contenders/contender.js';
import { median, secondsOf } from '../measure.js';
import type { Outcome } from './ask.js';

const name = 'export';

async function rowsIn(file: string): Promise<number> {
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  try {
    const reader = await connection.runAndReadAll(`SELECT count(*) FROM read_parquet('${file}')`);
    return Number(reader.value(0, 0));
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

async function exportOnce(
  contender: Contender,
  file: string,
  events: number,
): Promise<Outcome | number> {
  const base = { contender: contender.name, question: name, milliseconds: [] };
  try {
    const seconds = await secondsOf(async () => contender.exportParquet?.(file));
    const rows = await rowsIn(file);
    if (rows === events) return seconds * 1000;
    return { ...base, status: 'wrong', reason: `expected ${events} rows, got ${rows}` };
  } catch (error) {
    const status = error instanceof Unsupported ? 'unsupported' : 'failed';
    return { ...base, status, reason: error instanceof Error ? error.message : String(error) };
  } finally {
    await rm(file, { force: true });
  }
}

export async function askExport(
  contenders: readonly Contender[],
  directory: string,
  events: number,
  rounds: number,
): Promise<readonly Outcome[]> {
  const able = contenders.filter(({ exportParquet }) => exportParquet !== undefined);
  const times = new Map(able.map((contender) => [contender, [] as number[]]));
  const refusals: Outcome[] = [];
  for (let round = 0; round < rounds; round++) {
    for (const [contender, milliseconds] of times) {
      const outcome = await exportOnce(contender, path.join(directory, 'export.parquet'), events);
      if (typeof outcome === 'number') milliseconds.push(outcome);
      else {
        refusals.push(outcome);
        times.delete(contender);
      }
    }
  }
  const answered = [...times].map(([contender, milliseconds]) => ({
    contender: contender.name,
    question: name,
    status: 'answered' as const,
    milliseconds,
    median: median(milliseconds),
  }));
  return [...answered, ...refusals];
}
