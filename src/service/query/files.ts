// The finished rows of a query as a file with typed columns, whose types follow from the values.
import {
  firstRows,
  kindsOf,
  plainSelect,
  storedRows,
  typedSelect,
  type OutputColumn,
} from '../../query/sql/output.js';
import type { FinishedBytes, QueryResult } from '../../store/event-store.js';
import type { Body, QueryRun } from './run.js';
import { checkRows } from './row-budget.js';

/** `kinds` are those of the values of each column. */
type Export = (
  run: QueryRun,
  result: QueryResult,
  kinds: readonly string[],
) => Promise<FinishedBytes>;

async function exportResult(run: QueryRun, write: Export): Promise<FinishedBytes> {
  const { snapshot, compiled, slices, signal, rowsMax } = run;
  const { columns } = compiled;
  const rows =
    slices.length === 1 ? [compiled.rows] : slices.map((slice) => storedRows(columns, slice.rows));
  const enough = rows.map((each) => firstRows(each, rowsMax + 1));
  const result = await snapshot.materialize(enough, { lane: 'query', signal });
  try {
    const { kinds, rowCount } = await lookedThrough(columns, result);
    checkRows(rowCount, rowsMax);
    return await write(run, result, kinds);
  } finally {
    await result.close();
  }
}

/** Part by part, which takes the memory of one. */
async function lookedThrough(columns: readonly OutputColumn[], result: QueryResult) {
  const kinds = columns.map(() => '');
  let rowCount = 0;
  for (const part of result.parts) {
    const [row] = await result.read(kindsOf(columns, part));
    rowCount += Number(row?.['rows'] ?? 0);
    columns.forEach((_, index) => (kinds[index] += String(row?.[`c${index}`] ?? '')));
  }
  return { kinds, rowCount };
}

const fileBody =
  (contentType: string, ending: string, write: Export) =>
  async (run: QueryRun): Promise<Body> => {
    const file = await exportResult(run, write);
    return {
      contentType,
      headers: { 'Content-Disposition': `attachment; filename="query.${ending}"` },
      length: file.length,
      body: file.chunks(),
    };
  };

export const parquetBody = fileBody(
  'application/vnd.apache.parquet',
  'parquet',
  ({ compiled: { columns } }, result, kinds) =>
    result.exportParquet(typedSelect(columns, result.table, kinds)),
);

/** With a header; NULL is empty, and an empty string is in quotes. */
export const csvBody = fileBody(
  'text/csv; charset=utf-8',
  'csv',
  ({ compiled: { columns } }, result, kinds) =>
    result.exportCsv(result.parts.map((part) => plainSelect(columns, part, kinds))),
);

export const arrowBody = fileBody(
  'application/vnd.apache.arrow.stream',
  'arrows',
  async ({ compiled: { columns } }, result, kinds) => {
    // Loaded when it is first asked for: its many modules would take a tenth of every start.
    const { arrowStream } = await import('./arrow.js');
    return result.exportBytes(typedSelect(columns, result.table, kinds), (chunks) =>
      arrowStream(columns, kinds, chunks),
    );
  },
);
