// The finished rows of a query as a Parquet file, whose column types follow from the values.
import { kindsOf, storedRows, typedSelect } from '../query/output.js';
import type { FinishedBytes } from '../store/event-store.js';
import type { Body, QueryRun } from './query-run.js';

async function exportResult(run: QueryRun): Promise<FinishedBytes> {
  const { snapshot, compiled, slices, signal } = run;
  const { columns } = compiled;
  const rows =
    slices.length === 1 ? [compiled.rows] : slices.map((slice) => storedRows(columns, slice.rows));
  const result = await snapshot.materialize(rows, { lane: 'query', signal });
  try {
    const [row] = await result.read(kindsOf(columns, result.table));
    const kinds = columns.map((_, index) => String(row?.[`c${index}`] ?? ''));
    return await result.exportParquet(typedSelect(columns, result.table, kinds));
  } finally {
    await result.close();
  }
}

export async function parquetBody(run: QueryRun): Promise<Body> {
  const file = await exportResult(run);
  return {
    contentType: 'application/vnd.apache.parquet',
    headers: { 'Content-Disposition': 'attachment; filename="query.parquet"' },
    length: file.length,
    body: file.chunks(),
  };
}
