// Queries that are sent to the server, and the answers.
import { cutRows, type RawRow } from '../json/scan.js';
import { readJson, send } from './request.js';

export interface QueryOptions {
  /** Transaction id of the data to read; the latest without. */
  readonly version?: string | null | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Whether prompts have a row for each of their versions. */
  readonly allVersions?: boolean;
}

const bodyOf = (query: string, { version, allVersions }: QueryOptions, fmt?: string) => ({
  query,
  ...(version == null ? {} : { version }),
  ...(allVersions === true ? { audit_log: true } : {}),
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
export const rawRowsOf = (query: string, options: QueryOptions = {}): Promise<RawAnswer> =>
  readRaw(JSON.stringify(bodyOf(query, options)), options);

/** @param query JSON text of a query that is JSON */
export const rawRowsOfJson = (query: string, options: QueryOptions = {}): Promise<RawAnswer> =>
  readRaw(`{"query":${query}}`, options);

/** @param text the body of the request */
async function readRaw(text: string, options: QueryOptions): Promise<RawAnswer> {
  const response = await send('/query', { method: 'POST', text, signal: options.signal });
  const answer = await response.text();
  return {
    ...cutRows(answer),
    version: response.headers.get('x-evalstore-version') ?? '',
    cursor: response.headers.get('x-bt-cursor'),
    bytes: answer.length,
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
