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
import { contentTypeOf, isTyped, type QueryFormat } from '../../schema/query-format.js';
import type { FinishedBytes, QueryResult, WrittenParts } from '../../store/event-store.js';
import { checkCursor } from './cursor-row.js';
import { namedFile } from './file-name.js';
import { rowsHeader, type Body, type QueryRun } from './run.js';
import { checkRows } from './row-budget.js';
import type { TextFormat } from './text-formats.js';

interface Written {
  readonly result: QueryResult;
  readonly columns: readonly OutputColumn[];
  /** The kinds of the values of each column whose type follows from them. */
  readonly kinds: readonly string[];
  readonly rowCount: number;
}

export type FileFormat = Exclude<QueryFormat, TextFormat>;

/** Writes the file of a format. An answer without a length is read while it is written. */
type Write = (written: Written) => Promise<FinishedBytes> | WrittenParts;

const withoutType = ({ name, type }: OutputColumn): OutputColumn => ({ name, type });

async function exportResult(run: QueryRun, format: FileFormat) {
  const { snapshot, compiled, chunks, signal, rowsMax } = run;
  const rows =
    chunks.length === 1
      ? [() => limitedRows(compiled.rows, rowsMax + 1)]
      : chunks.map((chunk) => () => chunk().valueRows);
  const result = await snapshot.materialize(rows, { queue: 'heavy', signal });
  let ended: Promise<void> | null = null;
  try {
    const columns = isTyped(format) ? compiled.columns : compiled.columns.map(withoutType);
    const { kinds, rowCount, misfits } = await kindsIn(run, columns, result);
    checkRows(rowCount, rowsMax);
    await checkCursor(run, rowCount, (query) => result.read(query));
    const file = await writers[format]({ result, columns, kinds, rowCount });
    if ('ended' in file) ({ ended } = file);
    return { file, rowCount, misfits };
  } finally {
    if (ended === null) await result.close();
    else void ended.then(() => result.close());
  }
}

/** The number of rows, and the kinds of values per column. The first chunk decides most types; all rows are read for the others. */
async function kindsIn(
  { compiled: { unordered }, chunks }: QueryRun,
  columns: readonly OutputColumn[],
  result: QueryResult,
) {
  const [first, ...more] = chunks;
  const isWhole = first === undefined || more.length === 0;
  const tables = isWhole
    ? result.parts.map((part) => part())
    : [first().unordered, unordered].map(asTable);
  const kinds = columns.map(() => '');
  let rowCount = 0;
  let misfits = 0;
  for (const table of tables) {
    const [row] = await result.read(undecidedKinds(columns, kinds, table));
    rowCount = Number(row?.['rows'] ?? 0);
    misfits = Number(row?.['misfits'] ?? 0);
    columns.forEach((_, index) => (kinds[index] += kindsOfBits(Number(row?.[`c${index}`] ?? 0))));
  }
  return { kinds, rowCount, misfits };
}

/** The header that counts the values that are null in a file because they do not fit the type of their column. */
const misfitsHeader = 'x-evalstore-misfits';

export async function fileBody(run: QueryRun, format: FileFormat): Promise<Body> {
  const { file, rowCount, misfits } = await exportResult(run, format);
  return {
    contentType: contentTypeOf(format),
    headers: {
      ...namedFile(format),
      ...rowsHeader(rowCount),
      ...(isTyped(format) ? { [misfitsHeader]: String(misfits) } : {}),
    },
    ...('length' in file ? { length: file.length } : {}),
    body: file.chunks(),
  };
}

const namesOf = (columns: readonly OutputColumn[]) => columns.map(({ name }) => name);

const writers = {
  parquet: ({ result, columns, kinds }) =>
    result.exportParquet(
      namesOf(columns),
      result.parts.map((part) => () => typedSelect(columns, part(), kinds)),
    ),
  /** NULL is an empty field, an empty string is quoted. */
  csv: ({ result, columns, kinds }) =>
    result.exportCsv(
      namesOf(columns),
      result.parts.map((part) => () => plainSelect(columns, part(), kinds)),
    ),
  arrow: ({ result, columns, kinds, rowCount }) =>
    result.exportArrow(
      columns.map((column, index) => ({
        name: column.name,
        type: typedAs(column, kinds[index] ?? ''),
      })),
      result.divided(rowCount).map((part) => () => typedSelect(columns, part(), kinds)),
    ),
} as const satisfies Record<FileFormat, Write>;
