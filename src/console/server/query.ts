// Sends queries to the server and reads the answers.
import { cutRows, type RawRow } from '../json/scan.js';
import { readBody, readJson, serverAddress } from './request.js';
import { queryPath, sharedExperiment } from './shared.js';

export interface QueryOptions {
  /** The version to read; by default the latest. */
  readonly version?: string | null | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Whether prompts have a row per version. */
  readonly allVersions?: boolean;
}

/** The time zone of the browser, in which days and hours are. */
export const timeZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;

const settingsOf = ({ version, allVersions }: QueryOptions, fmt?: string) => ({
  ...(version == null ? {} : { version }),
  ...(allVersions === true ? { audit_log: true } : {}),
  ...(fmt === undefined ? {} : { fmt }),
  tz_offset: timeZone(),
});

const bodyOf = (query: string, options: QueryOptions, fmt?: string) => ({
  query,
  ...settingsOf(options, fmt),
});

/** Parsed rows, for computation and not for display. */
export const rowsOf = async <T>(query: string, options: QueryOptions = {}): Promise<readonly T[]> =>
  (
    await readJson<{ data: readonly T[] }>(queryPath(), {
      method: 'POST',
      body: bodyOf(query, options),
      signal: options.signal,
    })
  ).data;

/** A statement that the server runs for a query. */
export interface Statement {
  readonly engine: 'small' | 'heavy';
  readonly sources: readonly {
    readonly name: string;
    readonly files: readonly string[];
    readonly leaf_columns: readonly string[];
  }[];
  readonly sql: string;
  readonly parameters: readonly unknown[];
  readonly plan: string;
}

/** How the server reads a query, with the times of a run. */
export const explanationOf = async (
  query: string,
  options: QueryOptions,
): Promise<readonly Statement[]> =>
  (
    await readJson<{ data: readonly Statement[] }>(queryPath(), {
      method: 'POST',
      body: { ...bodyOf(query, options), explain: 'analyze' },
      signal: options.signal,
    })
  ).data;

export interface RawAnswer {
  /** Values are the JSON text of the server. */
  readonly rows: readonly RawRow[];
  /** Transaction id of the data that was read. */
  readonly version: string;
  readonly cursor: string | null;
  readonly warnings: readonly string[];
  readonly bytes: number;
}

/** Reads rows with every digit and their key order. */
export const rawRowsOf = (query: string, options: QueryOptions = {}): Promise<RawAnswer> =>
  readRaw(JSON.stringify(bodyOf(query, options)), options);

/** @param query the text of a JSON query */
export const rawRowsOfJson = (query: string, options: QueryOptions = {}): Promise<RawAnswer> =>
  readRaw(`{"query":${query},${JSON.stringify(settingsOf(options)).slice(1)}`, options);

/** @param text the body of the request */
async function readRaw(text: string, options: QueryOptions): Promise<RawAnswer> {
  const request = { method: 'POST', text, signal: options.signal } as const;
  const [headers, body] = await readBody(
    queryPath(),
    request,
    async (response) => [response.headers, await response.arrayBuffer()] as const,
  );
  return {
    ...cutRows(new TextDecoder().decode(body)),
    version: headers.get('x-evalstore-version') ?? '',
    cursor: headers.get('x-bt-cursor'),
    bytes: body.byteLength,
  };
}

export type FileFormat = 'parquet' | 'csv' | 'jsonl' | 'arrow';

/** As the server names the file. */
const fileName = (format: FileFormat): string => `query.${format === 'arrow' ? 'arrows' : format}`;

/** Saves a file without a session: the page holds it in memory, since downloads require a session. */
async function heldFile(query: string, format: FileFormat, options: QueryOptions): Promise<string> {
  const body = bodyOf(query, options, format);
  const request = { method: 'POST', body, signal: options.signal } as const;
  const file = URL.createObjectURL(await readBody(queryPath(), request, (answer) => answer.blob()));
  // The browser has read it by then.
  setTimeout(() => URL.revokeObjectURL(file), 60_000);
  return file;
}

/** The URL of the file, which the browser writes directly to disk. */
async function addressOf(
  query: string,
  format: FileFormat,
  options: QueryOptions,
): Promise<string> {
  const body = bodyOf(query, options, format);
  const path = '/query/download';
  const { url } = await readJson<{ url: string }>(path, { method: 'POST', body });
  return serverAddress + path + new URL(url).search;
}

/** Saves the answer of a query as a file. */
export async function saveFile(
  query: string,
  format: FileFormat,
  options: QueryOptions = {},
): Promise<void> {
  const link = document.createElement('a');
  link.href = await (sharedExperiment() === null ? addressOf : heldFile)(query, format, options);
  link.download = fileName(format);
  link.click();
}
