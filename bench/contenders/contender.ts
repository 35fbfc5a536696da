// What the benchmark asks of everything that it measures.
import type { Dataset } from '../generator/dataset.js';
import type { Question } from '../questions/question.js';

export const contenderNames = [
  'evalstore',
  'limit',
  'duckdb-json',
  'clickhouse',
  'postgres',
] as const;

export type ContenderName = (typeof contenderNames)[number];

/** One row of an answer, by the names of the question's columns. */
export type AnswerRow = Readonly<Record<string, unknown>>;

/** What is the same for all contenders of a run. */
export interface Surroundings {
  /** A directory of the contender's own, empty at first. */
  readonly directory: string;
  /** The checkout whose server is measured. */
  readonly root: string;
  readonly threads: number;
  readonly memoryMb: number;
}

/** Seconds of loading; `inserting` is the part that a client waits for. */
export interface LoadTime {
  readonly inserting: number;
  /** Sorting, indexing and the like, so that questions are asked at its best. */
  readonly settling: number;
}

export interface Contender {
  /** One of `contenderNames`, or of a revision that is compared. */
  readonly name: string;
  readonly title: string;
  readonly version: string;
  readonly load: (dataset: Dataset) => Promise<LoadTime>;
  /** The question with its parameters filled in. Throws Unsupported for what it cannot be asked. */
  readonly answer: (question: Question) => Promise<readonly AnswerRow[]>;
  /** Writes all rows, with their JSON as text, into one Parquet file. */
  readonly exportParquet?: (file: string) => Promise<void>;
  readonly bytesOnDisk: () => Promise<number>;
  readonly close: () => Promise<void>;
}

/** A question that the contender refuses, with the reason; it is reported and not timed. */
export class Unsupported extends Error {
  override readonly name = 'Unsupported';
}
