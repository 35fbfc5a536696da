// What a query with a limit shows, found by narrow columns before its wide ones are read: the transactions, or
// the traces, that its first rows belong to.
import { emptySql, join, sql, type Sql } from '../../duckdb/sql.js';
import { createArmColumns } from './arm-columns.js';
import { findExpr } from '../bind/bound.js';
import { arrangeRows, membersOf, rowScope, traceLimit, type Generation } from './codegen.js';
import { fieldOf } from '../bind/fields.js';
import { storageOf } from '../value/leaf-facet.js';
import type { Plan, RowPlan } from './plan.js';
import { isAfter } from '../page/query-cursor.js';
import { limitTo, wantedTraces } from './row-source.js';
import { traceCondition } from './trace-filter.js';

export interface FirstRows {
  readonly by: 'transaction' | 'trace';
  /** SELECT of one column: the `_xact_id` or the `root_span_id` of each of the first rows. */
  readonly rows: Sql;
  /** How many rows, or traces, there are to find. */
  readonly count: number;
}

/** Null when the query shows all that passes its filter, or its order needs more than the columns of rows. */
export function firstRows(plan: Plan, generation: Generation): FirstRows | null {
  if (plan.kind === 'groups' || plan.limit === null || plan.limit === 0) return null;
  if (plan.sample?.unit === 'rows' || plan.traceFilter !== null) return null;
  // One more shows whether there is a next page.
  const count = plan.limit + (generation.start.order === null ? 0 : 1);
  const bare: RowPlan = { ...plan, outputs: [] };
  switch (plan.shape) {
    case 'spans':
      if (generation.start.transactions === null && !readsText(plan, generation)) return null;
      return { by: 'transaction', rows: firstTransactions(bare, generation, count), count };
    case 'traces':
      return { by: 'trace', rows: firstTraces(bare, generation), count };
    default: {
      const rows = newestTraces(bare, generation, count);
      return rows === null ? null : { by: 'trace', rows, count };
    }
  }
}

/** Whether what is shown is read from JSON text in segments; other columns are as narrow as those of the order. */
const readsText = ({ outputs, unpivots }: RowPlan, { relation: { arms } }: Generation): boolean =>
  unpivots.length > 0 ||
  outputs.some(
    ({ expression }) =>
      findExpr(expression, (part) => {
        const field = part.kind === 'field' ? fieldOf(part.field) : null;
        if (part.kind !== 'field' || field?.json === undefined) return false;
        return arms.some(
          (arm) => arm.paths !== null && storageOf(arm, field, part.steps) === 'text',
        );
      }) !== null,
  );

function firstTransactions(plan: RowPlan, generation: Generation, count: number): Sql {
  const { place, select } = arrangeRows(plan, generation);
  return select([sql`${place.transaction} AS xact_id`], count);
}

function firstTraces(plan: RowPlan, generation: Generation): Sql {
  const { source, eventOrder, place } = arrangeRows(plan, generation);
  const wanted = wantedTraces(source, traceLimit(plan, eventOrder));
  return sql`SELECT ${place.trace} AS root_span_id FROM ${wanted()}`;
}

/** In the order of summaries, which is that of the newest rows of their traces. */
function newestTraces(plan: RowPlan, generation: Generation, count: number): Sql | null {
  const { filter, sort, unpivots } = plan;
  if (sort.length > 0 || unpivots.length > 0 || plan.sample !== null) return null;
  const { relation, context, start } = generation;
  const columns = createArmColumns(relation);
  const [object, trace] = [columns.order('object'), columns.order('trace')];
  const newest = sql`max((${columns.order('transaction')}, ${columns.order('position')}))`;
  const passes =
    filter === null
      ? emptySql
      : sql` HAVING ${traceCondition(filter, rowScope(columns.field, membersOf(plan, columns, context).value, context))}`;
  const traces = sql`SELECT ${trace} AS root_span_id, ${newest} AS newest FROM ${columns.from()} GROUP BY ${object}, ${trace}${passes}`;
  const place = {
    transaction: sql`newest[1]`,
    trace: sql`root_span_id`,
    position: sql`newest[2]`,
    members: [],
  };
  const begin =
    start.after === null ? emptySql : sql` WHERE ${isAfter(place, start.after, 'newest')}`;
  const order = join(
    [place.transaction, place.trace, place.position].map((key) => sql`${key} DESC`),
  );
  return sql`SELECT root_span_id FROM (${traces})${begin} ORDER BY ${order}${limitTo(count)}`;
}
