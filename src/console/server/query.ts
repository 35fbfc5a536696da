// Queries as the console writes them: clauses that are joined, never parsed back, and the answers.
import { cutRows, type RawRow } from '../json/scan.js';
import { readJson, send } from './request.js';

/** What rows are read from. */
export interface Source {
  readonly kind: 'project_logs' | 'experiment' | 'dataset';
  /** Of the project, where the rows are its logs. */
  readonly id: string;
}

export type ClauseName =
  | 'infer'
  | 'select'
  | 'dimensions'
  | 'measures'
  | 'from'
  | 'filter'
  | 'trace_filter'
  | 'final_filter'
  | 'sort'
  | 'preview_length'
  | 'limit'
  | 'cursor';

export type Clauses = Readonly<Partial<Record<ClauseName, string>>>;

/** A string literal of the query language. */
export const quoted = (text: string): string =>
  `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;

export const sourceText = ({ kind, id }: Source): string => `${kind}(${quoted(id)})`;

/** The conditions together. A line break ends a comment that one of them may hold. */
export const allOf = (...conditions: readonly (string | null)[]): string | undefined => {
  const given = conditions.filter((one) => one !== null && one.trim() !== '');
  if (given.length < 2) return given[0] ?? undefined;
  return given.map((one) => `(${one!.trim()}${one!.includes('--') ? '\n' : ''})`).join(' and ');
};

/** Clauses without a value are left out. */
export const textOf = (clauses: Clauses): string =>
  Object.entries(clauses)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');

export interface QueryOptions {
  /** Transaction id of the data to read; the latest without. */
  readonly version?: string | null | undefined;
  readonly signal?: AbortSignal | undefined;
}

const bodyOf = (query: string, { version }: QueryOptions, fmt?: string) => ({
  query,
  ...(version == null ? {} : { version }),
  ...(fmt === undefined ? {} : { fmt }),
  // Days and hours are those of the browser.
  tz_offset: new Date().getTimezoneOffset(),
});

/** Rows as JavaScript has them: for numbers to compute with, not for values to show. */
export const rowsOf = async <T>(query: string, options: QueryOptions = {}): Promise<readonly T[]> =>
  (
    await readJson<{ data: readonly T[] }>('/query', {
      method: 'POST',
      body: bodyOf(query, options),
      signal: options.signal,
    })
  ).data;

export interface RawAnswer {
  /** Values are JSON text, exactly as the server wrote it. */
  readonly rows: readonly RawRow[];
  /** Transaction id of the data that was read. */
  readonly version: string;
  readonly cursor: string | null;
  readonly warnings: readonly string[];
  readonly bytes: number;
}

/** Rows as they were written, with every digit and in the order of their keys. */
export async function rawRowsOf(query: string, options: QueryOptions = {}): Promise<RawAnswer> {
  const response = await send('/query', {
    method: 'POST',
    body: bodyOf(query, options),
    signal: options.signal,
  });
  const text = await response.text();
  return {
    ...cutRows(text),
    version: response.headers.get('x-evalstore-version') ?? '',
    cursor: response.headers.get('x-bt-cursor'),
    bytes: text.length,
  };
}

export type FileFormat = 'parquet' | 'csv' | 'jsonl' | 'arrow';

export async function fileOf(
  query: string,
  format: FileFormat,
  options: QueryOptions = {},
): Promise<Blob> {
  const body = bodyOf(query, options, format);
  return (await send('/query', { method: 'POST', body, signal: options.signal })).blob();
}
