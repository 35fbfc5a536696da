// Finds the transactions or traces of the first rows of a query with a limit by reading narrow columns only.
import { sql, type Sql } from '../../duckdb/sql.js';
import { someExpr } from '../bound/bound-query.js';
import { arrangeRows, summarisedTraces, traceLimit, type CodegenInput } from './codegen.js';
import { fieldOf } from '../bound/fields.js';
import type { TransactionOrder } from '../cursor/query-cursor.js';
import { storageOf } from '../value/leaf-form.js';
import { expressionsOf, type Plan, type RowPlan } from './plan.js';
import { wantedTraces } from './row-source.js';
import { isNarrow, summaryKeys } from './summary-keys.js';

export interface FirstRows {
  readonly by: 'transaction' | 'trace';
  /** SELECT of one column: the `_xact_id` or the `root_span_id` of each of the first rows. */
  readonly rows: Sql;
  /** The number of rows or traces to find. */
  readonly count: number;
}

/**
 * Returns null for a query without a limit, or if its order needs more than the columns of rows.
 * @param transactions the order of the rows by transaction; null if another order precedes it
 */
export function firstRows(
  plan: Plan,
  input: CodegenInput,
  transactions: TransactionOrder | null,
): FirstRows | null {
  if (plan.kind === 'groups' || plan.limit === null || plan.limit === 0) return null;
  if (plan.sample?.unit === 'rows') return null;
  if (plan.traceFilter !== null && plan.shape !== 'summary') return null;
  // One more row shows whether there is a next page.
  const count = plan.limit + (input.start.order === null ? 0 : 1);
  const bare: RowPlan = { ...plan, outputs: [] };
  switch (plan.shape) {
    case 'spans':
      if (transactions === null && !readsText(plan, input)) return null;
      return { by: 'transaction', rows: firstTransactions(bare, input, count), count };
    case 'traces':
      return { by: 'trace', rows: firstTraces(bare, input), count };
    case 'versions':
      return null;
    default: {
      const read = expressionsOf(plan);
      // The query itself reads narrow columns only, so finding its traces first would save nothing.
      if (read !== null && isNarrow(read)) return null;
      const rows = firstSummaries(bare, input, count);
      return rows === null ? null : { by: 'trace', rows, count };
    }
  }
}

/** Whether the result reads JSON text of segments. Other columns are as narrow as those of the order. */
const readsText = (
  { outputs, unpivots }: RowPlan,
  { relation: { branches } }: CodegenInput,
): boolean =>
  unpivots.length > 0 ||
  outputs.some(({ expression }) =>
    someExpr(expression, (part) => {
      const field = part.kind === 'field' ? fieldOf(part.field) : null;
      if (part.kind !== 'field' || field?.json === undefined) return false;
      return branches.some(
        (branch) => branch.paths !== null && storageOf(branch, field, part.steps) === 'text',
      );
    }),
  );

function firstTransactions(plan: RowPlan, input: CodegenInput, count: number): Sql {
  const { place, select } = arrangeRows(plan, input);
  return select([sql`${place.transaction} AS xact_id`], count);
}

function firstTraces(plan: RowPlan, input: CodegenInput): Sql {
  const { source, eventOrder, place } = arrangeRows(plan, input);
  const wanted = wantedTraces(source, traceLimit(plan, eventOrder));
  return sql`SELECT ${place.trace} AS root_span_id FROM ${wanted()}`;
}

/** SELECT of the traces of the first summaries; null if sorting or filtering requires complete summaries. */
function firstSummaries(plan: RowPlan, input: CodegenInput, count: number): Sql | null {
  const { sort, traceFilter, unpivots, sample } = plan;
  if (unpivots.length > 0 || sample !== null) return null;
  const { relation } = input;
  const read = [
    ...sort.map(({ expression }) => expression),
    ...(traceFilter === null ? [] : [traceFilter]),
  ];
  const keys = summaryKeys(relation, summarisedTraces(plan, input), read);
  if (keys === null) return null;
  const ofRows = { ...plan, shape: 'spans', filter: traceFilter, traceFilter: null } as const;
  const { place, select } = arrangeRows(ofRows, { ...input, relation: keys });
  return select([sql`${place.trace} AS root_span_id`], count);
}
