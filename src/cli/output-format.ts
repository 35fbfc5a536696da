// How `evalstore query` prints rows.
import type { QueryFormat } from '../schema/query-format.js';

interface OutputFormat {
  /** The format of the answer. */
  readonly fmt: QueryFormat;
  readonly isBinary?: true;
}

export const outputFormats = {
  table: { fmt: 'json' },
  json: { fmt: 'json' },
  jsonl: { fmt: 'jsonl' },
  csv: { fmt: 'csv' },
  parquet: { fmt: 'parquet', isBinary: true },
} as const satisfies Readonly<Record<string, OutputFormat>>;

export interface QueryOptions {
  readonly format: keyof typeof outputFormats;
  /** A file to write to. */
  readonly out?: string;
}
