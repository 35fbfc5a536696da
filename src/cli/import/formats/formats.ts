// The formats of files: how each is read, and what a row of it is.
import type { Bytes, Row } from '../row.js';

export interface FileFormat {
  readonly title: string;
  /** Endings of names of files, without that of a compression. */
  readonly endings: readonly string[];
  /** What a row is called in errors. */
  readonly unit: 'line' | 'row' | 'sample';
  /** Whether all values are text, so that other types have to be made of it. */
  readonly isText?: boolean;
  /** Whether a null is the same as no value. */
  readonly hasNulls?: boolean;
  /** Reads the bytes of a file; or of formats that are read out of order, a file by its name. */
  readonly read:
    | { readonly bytes: (bytes: Bytes) => AsyncIterable<Row> }
    | { readonly file: (file: string) => AsyncIterable<Row> };
}

const later = <T>(load: () => Promise<(source: T) => AsyncIterable<Row>>) =>
  async function* (source: T): AsyncGenerator<Row> {
    const read = await load();
    yield* read(source);
  };

export const fileFormats = {
  jsonl: {
    title: 'JSON Lines',
    endings: ['jsonl', 'ndjson'],
    unit: 'line',
    read: { bytes: later(async () => (await import('./json-lines.js')).readJsonLines) },
  },
  json: {
    title: 'an array in JSON',
    endings: [],
    unit: 'line',
    read: { bytes: later(async () => (await import('./json-array.js')).readJsonArray) },
  },
  csv: {
    title: 'CSV',
    endings: ['csv'],
    unit: 'row',
    isText: true,
    read: { bytes: later(async () => (await import('./csv.js')).readCsv) },
  },
  parquet: {
    title: 'Parquet',
    endings: ['parquet'],
    unit: 'row',
    hasNulls: true,
    read: { file: later(async () => (await import('./parquet.js')).readParquet) },
  },
} as const satisfies Readonly<Record<string, FileFormat>>;

/** What other tools write. */
export const documentFormat: FileFormat = {
  title: 'objects in JSON',
  endings: [],
  unit: 'line',
  read: { bytes: later(async () => (await import('./json-documents.js')).readJsonDocuments) },
};

export const archiveFormat: FileFormat = {
  title: 'a log of inspect_ai',
  endings: [],
  unit: 'sample',
  read: { file: later(async () => (await import('./inspect-archive.js')).readInspectArchive) },
};

export type FormatName = keyof typeof fileFormats;

export const formatNames = Object.keys(fileFormats) as readonly FormatName[];
