// Bodies with typed columns: Parquet, CSV and Arrow. The types of columns follow from the kinds of their values.
import {
  asTable,
  limitedRows,
  plainSelect,
  typedAs,
  typedSelect,
  undecidedKinds,
  type OutputColumn,
} from '../../query/sql/output.js';
import { kindsOfBits } from '../../json/result-row.js';
import type { FinishedBytes, QueryResult, WrittenParts } from '../../store/event-store.js';
import { checkCursor } from './cursor-row.js';
import { namedFile, type QueryFormat } from './file-name.js';
import { rowsHeader, type Body, type QueryRun } from './run.js';
import { checkRows } from './row-budget.js';

/** Writes the rows; `kinds` has the kinds of the values of each column. An answer without a length is read while it is written. */
type Export = (
  run: QueryRun,
  result: QueryResult,
  kinds: readonly string[],
  rowCount: number,
) => Promise<FinishedBytes> | WrittenParts;

async function exportResult(run: QueryRun, write: Export) {
  const { snapshot, compiled, slices, signal, rowsMax } = run;
  const rows =
    slices.length === 1
      ? [() => limitedRows(compiled.rows, rowsMax + 1)]
      : slices.map((slice) => () => slice().valueRows);
  const result = await snapshot.materialize(rows, { lane: 'heavy', signal });
  let ended: Promise<void> | null = null;
  try {
    const { kinds, rowCount } = await kindsIn(run, result);
    checkRows(rowCount, rowsMax);
    await checkCursor(run, rowCount, (query) => result.read(query));
    const file = await write(run, result, kinds, rowCount);
    if ('ended' in file) ({ ended } = file);
    return { file, rowCount };
  } finally {
    if (ended === null) await result.close();
    else void ended.then(() => result.close());
  }
}

/** The number of rows, and the kinds of values per column. The first slice decides most types; all rows are read for the others. */
async function kindsIn({ compiled, slices }: QueryRun, result: QueryResult) {
  const { columns, unordered } = compiled;
  const [first, ...more] = slices;
  const isWhole = first === undefined || more.length === 0;
  const tables = isWhole
    ? result.parts.map((part) => part())
    : [first().unordered, unordered].map(asTable);
  const kinds = columns.map(() => '');
  let rowCount = 0;
  for (const table of tables) {
    const [row] = await result.read(undecidedKinds(columns, kinds, table));
    rowCount = Number(row?.['rows'] ?? 0);
    columns.forEach((_, index) => (kinds[index] += kindsOfBits(Number(row?.[`c${index}`] ?? 0))));
  }
  return { kinds, rowCount };
}

const fileBody =
  (contentType: string, fmt: QueryFormat, write: Export) =>
  async (run: QueryRun): Promise<Body> => {
    const { file, rowCount } = await exportResult(run, write);
    return {
      contentType,
      headers: { ...namedFile(fmt), ...rowsHeader(rowCount) },
      ...('length' in file ? { length: file.length } : {}),
      body: file.chunks(),
    };
  };

const namesOf = (columns: readonly OutputColumn[]) => columns.map(({ name }) => name);

export const parquetBody = fileBody(
  'application/vnd.apache.parquet',
  'parquet',
  ({ compiled: { columns } }, result, kinds) =>
    result.exportParquet(
      namesOf(columns),
      result.parts.map((part) => () => typedSelect(columns, part(), kinds)),
    ),
);

/** CSV with a header. NULL is an empty field, an empty string is quoted. */
export const csvBody = fileBody(
  'text/csv; charset=utf-8',
  'csv',
  ({ compiled: { columns } }, result, kinds) =>
    result.exportCsv(
      namesOf(columns),
      result.parts.map((part) => () => plainSelect(columns, part(), kinds)),
    ),
);

export const arrowBody = fileBody(
  'application/vnd.apache.arrow.stream',
  'arrow',
  ({ compiled: { columns } }, result, kinds, rowCount) =>
    result.exportArrow(
      columns.map((column, index) => ({
        name: column.name,
        type: typedAs(column, kinds[index] ?? ''),
      })),
      result.divided(rowCount).map((part) => () => typedSelect(columns, part(), kinds)),
    ),
);
