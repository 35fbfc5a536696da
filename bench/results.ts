// What a run leaves behind: one JSON file, from which the report is made.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { format, resolveConfig } from 'prettier';
import type { Ingest } from './ingest/workloads.js';
import type { Machine } from './machine.js';
import type { MachineLoad } from './machine-load.js';
import type { ProcessResult } from './process.js';
import type { Outcome } from './questions/ask.js';
import type { QuestionGroup } from './questions/question.js';

export interface ContenderResult {
  readonly name: string;
  readonly title: string;
  readonly version: string;
  /** Seconds of each load, and their median. */
  readonly inserts: readonly number[];
  readonly insertSeconds: number;
  readonly settleSeconds: number;
  readonly bytesOnDisk: number;
}

/** A page of a project log, with the traces that come before it. */
export interface PageResult {
  readonly tracesBefore: number;
  readonly milliseconds: readonly number[];
  readonly median: number;
}

export interface AskedQuestion {
  readonly name: string;
  readonly group: QuestionGroup;
  readonly title: string;
}

export interface Results {
  readonly name: string;
  readonly events: number;
  readonly profile: string;
  /** 0 for events that were not generated. */
  readonly seed: number;
  readonly rounds: number;
  readonly threads: number;
  readonly memoryMb: number;
  readonly datasetBytes: number;
  readonly machine: Machine & { readonly load: MachineLoad };
  readonly contenders: readonly ContenderResult[];
  /** Contenders that could not take part, with the reason. */
  readonly absent: Readonly<Record<string, string>>;
  readonly questions: readonly AskedQuestion[];
  readonly outcomes: readonly Outcome[];
  readonly pages: readonly PageResult[];
  readonly process: ProcessResult | null;
  /** What could not be measured, with the reason. */
  readonly failures: readonly string[];
  readonly ingest: readonly Ingest[];
  /** Seconds of each load of the same events into the bare store. */
  readonly bareInserts: readonly number[];
}

const ending = '.json';

export const isGenerated = ({ seed }: Results): boolean => seed > 0;

/** Written as the rest of the repository is formatted, by the ending of the file. */
export async function writeFormatted(file: string, text: string): Promise<void> {
  const settings = await resolveConfig(file);
  await writeFile(file, await format(text, { ...settings, filepath: file }));
}

export async function writeResults(directory: string, results: Results): Promise<string> {
  const file = path.join(directory, `${results.name}${ending}`);
  await writeFormatted(file, JSON.stringify(results));
  return file;
}

/** All runs in the directory, the smallest first. */
export async function readResults(directory: string): Promise<readonly Results[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith(ending));
  const texts = await Promise.all(
    names.map((name) => readFile(path.join(directory, name), 'utf8')),
  );
  return texts.map((text) => JSON.parse(text) as Results).toSorted((a, b) => a.events - b.events);
}
