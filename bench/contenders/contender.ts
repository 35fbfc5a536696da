// What the benchmark asks of everything that it measures.
import type { Dataset } from '../generator/dataset.js';
import type { Question } from '../questions/question.js';
import type { LeafColumn } from './leaf-columns.js';

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
  /** The paths that questions ask for by the names of columns. */
  readonly leaves: readonly LeafColumn[];
}

/** How a client sends events one by one to a place of its own. */
export interface Ingester {
  /** One event as JSON; a merge adds to the row that has its id. */
  readonly send: (event: string, isMerge: boolean) => Promise<unknown>;
  /** How many rows there are, and how many of them have `metrics.end`; null when nothing is kept. */
  readonly stored: () => Promise<Stored | null>;
  readonly close: () => Promise<void>;
}

export interface Stored {
  readonly rows: number;
  readonly ended: number;
}

export interface Contender {
  /** One of `contenderNames`, or of a revision that is compared. */
  readonly name: string;
  readonly title: string;
  readonly version: string;
  /** What a client waits for. */
  readonly insert: (dataset: Dataset) => Promise<void>;
  /** Sorting, indexing and the like, so that questions are asked at its best. */
  readonly settle: () => Promise<unknown>;
  /** The question with its parameters filled in. Throws Unsupported for what it cannot be asked. */
  readonly answer: (question: Question) => Promise<readonly AnswerRow[]>;
  /** Of contenders that take SQL: runs it, with the values of its parameters. */
  readonly run?: (sql: string, values?: readonly unknown[]) => Promise<unknown>;
  /** Of contenders that are servers: a new place for events, for so many connections. */
  readonly openIngester?: (connections: number) => Promise<Ingester>;
  /** Writes all rows, with their JSON as text, into one Parquet file. */
  readonly exportParquet?: (file: string) => Promise<void>;
  readonly bytesOnDisk: () => Promise<number>;
  readonly close: () => Promise<void>;
}

/** A question that the contender refuses, with the reason; it is reported and not timed. */
export class Unsupported extends Error {
  override readonly name = 'Unsupported';
}
