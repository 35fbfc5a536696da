// Exports the events of an object to files of whole transactions, oldest first. Of a dataset, every version of a record.
import { jsonColumns, type JsonColumn } from '../../schema/event-columns.js';
import { fetchedEvents } from '../../schema/event.js';
import type { EventObjectKind } from '../../schema/event-row.js';
import { fileOnce, linesOf, writeRows, type Export } from './files.js';
import type { RowsFile } from './manifest.js';

/** Rows of a file, unless one transaction has more. */
const rowsMax = 20_000;
/** Bytes of a file, unless one transaction has more. A Parquet file is compressed. */
const bytesMax = { jsonl: 32 * 2 ** 20, parquet: 8 * 2 ** 20 };

export interface EventSource {
  readonly kind: EventObjectKind;
  readonly id: string;
  /** No file has rows from both sides of one of these transactions. */
  readonly pins: readonly string[];
}

/** Transactions after the first and up to the second. */
export type Range = readonly [after: string, through: string];

export const sourceOf = ({ kind, id }: Pick<EventSource, 'kind' | 'id'>): string =>
  `${kind}('${id}')${kind === 'dataset' ? ' versions' : ''}`;

export const jsonColumnsOf = (kind: EventObjectKind): readonly JsonColumn[] =>
  jsonColumns.filter((column) => Object.hasOwn(fetchedEvents[kind].properties, column));

/** The fields whose type would follow from their values. As JSON they keep every digit. */
const valueColumns = ['input', 'output', 'expected', 'error'] as const;

const typesOf = (kind: EventObjectKind): Readonly<Record<string, string>> =>
  Object.fromEntries(
    valueColumns
      .filter((column) => Object.hasOwn(fetchedEvents[kind].properties, column))
      .map((column) => [column, 'json']),
  );

export const within = ([after, through]: Range): string =>
  `filter: _xact_id > '${after}' and _xact_id <= '${through}'`;

/** Transactions of one query, which may take a minute. */
const transactionsPerPage = 1_000_000;

/** The transactions of the rows in their order, one for each row. */
async function* transactionsOf(
  { client, version }: Export,
  source: EventSource,
  range: Range,
): AsyncGenerator<string> {
  const query = `select: _xact_id | from: ${sourceOf(source)} | ${within(range)} | sort: _xact_id | limit: ${transactionsPerPage}`;
  let page = '';
  for (;;) {
    const request = { query: query + page, fmt: 'jsonl', version };
    const answer = await client.send('POST', '/query', request);
    for await (const line of linesOf(answer))
      yield (JSON.parse(line) as { _xact_id: string })._xact_id;
    const cursor = answer.headers.get('x-evalstore-cursor');
    if (cursor === null) return;
    page = ` | cursor: '${cursor}'`;
  }
}

/** Divides a range into ranges of about `rows` rows. */
async function divided(
  exporting: Export,
  source: EventSource,
  range: Range,
  rows: number,
): Promise<readonly Range[]> {
  const ranges: Range[] = [];
  let [after] = range;
  let last = after;
  let count = 0;
  for await (const transaction of transactionsOf(exporting, source, range)) {
    const isPinned = source.pins.some((pin) => last <= pin && pin < transaction);
    if (last !== after && last !== transaction && (count >= rows || isPinned)) {
      ranges.push([after, last]);
      after = last;
      count = 0;
    }
    last = transaction;
    count += 1;
  }
  return last === after ? ranges : [...ranges, [after, last]];
}

/** Writes a file, or several if it is too large and has several transactions. */
async function* writeRange(
  exporting: Export,
  source: EventSource,
  range: Range,
): AsyncGenerator<RowsFile> {
  const { journal, format, version } = exporting;
  const [, through] = range;
  const name = `${source.kind}/${source.id}/${through}.${format}`;
  const step = `${name} after ${range[0]}`;
  const parts = journal.valueOf(`parts of ${step}`) as readonly Range[] | undefined;
  if (parts !== undefined) {
    for (const part of parts) yield* writeRange(exporting, source, part);
    return;
  }
  const file = await fileOnce(exporting, step, async () => {
    const query = `select: * | from: ${sourceOf(source)} | ${within(range)} | sort: _pagination_key`;
    const types = format === 'parquet' ? { types: typesOf(source.kind) } : {};
    const request = { query, fmt: format, version, ...types };
    return writeRows(exporting, name, request);
  });
  if (file.bytes > bytesMax[format] && file.rows > 1) {
    const half = Math.ceil(file.rows / 2);
    const halves = await divided(exporting, source, range, half);
    if (halves.length > 1) {
      await journal.once(`parts of ${step}`, async () => halves);
      yield* writeRange(exporting, source, range);
      return;
    }
  }
  const { path, rows, bytes, sha256 } = file;
  yield { path, rows, bytes, sha256, through };
}

/** The files of an object; none without rows. */
export async function exportEvents(
  exporting: Export,
  source: EventSource,
): Promise<readonly RowsFile[]> {
  const { journal, version } = exporting;
  const ranges = await journal.once(`ranges of ${source.kind} ${source.id}`, () =>
    divided(exporting, source, ['0', version], rowsMax),
  );
  const files: RowsFile[] = [];
  for (const range of ranges)
    for await (const file of writeRange(exporting, source, range)) files.push(file);
  return files;
}
