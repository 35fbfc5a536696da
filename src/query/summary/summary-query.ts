// Generates the statements of a summary: values per trace, means over traces, and differences between two experiments.
import { emptySql, join, numbered, sql, type Sql } from '../../duckdb/sql.js';
import type { EventRelation } from '../../schema/event-relation.js';
import { columnsOf, compareBuckets, compareTraces, resultColumns } from './differences.js';
import {
  computedMeasures,
  storedMeasures,
  type Measure,
  type MeasuredTrace,
  type MemberName,
} from './measures.js';
import { rowsOfTrace, spans, traces } from './traces.js';
import type { TraceShape } from './trace-shape.js';

export interface SummaryQuery {
  readonly measures: readonly Measure[];
  /** One row: `summaryColumns` of the first measure, then those of the second, and so on. */
  readonly row: Sql;
}

/** The number of measures per statement. The time to plan a statement grows with the square of it. */
const membersMax = 50;

/**
 * The statements of a summary, each for up to `membersMax` members, in their order.
 * @param members the scores and metrics that rows may have
 * @param shape the shape of the traces of both experiments
 * @param ours the id of the experiment to summarise
 * @param theirs the id of the experiment to compare with, possibly the same; null for none
 */
export function summaryQueries(
  relation: EventRelation,
  members: readonly MemberName[],
  shape: TraceShape,
  ours: string,
  theirs: string | null,
): readonly SummaryQuery[] {
  const count = Math.max(1, Math.ceil(members.length / membersMax));
  return Array.from({ length: count }, (_, index) => {
    const part = members.slice(index * membersMax, (index + 1) * membersMax);
    return summaryQuery(relation, { part, isLast: index === count - 1 }, shape, { ours, theirs });
  });
}

function summaryQuery(
  relation: EventRelation,
  { part, isLast }: { readonly part: readonly MemberName[]; readonly isLast: boolean },
  shape: TraceShape,
  { ours, theirs }: { readonly ours: string; readonly theirs: string | null },
): SummaryQuery {
  const rows = rowsOfTrace(shape);
  const numbers = storedMeasures(part, rows);
  const measures: readonly MeasuredTrace[] = [
    ...numbers.map(({ measure }) => measure),
    ...(isLast ? computedMeasures(relation, rows, shape) : []),
  ];
  const values = measures.flatMap(({ value }, index) =>
    value === null ? [] : [sql`${value} AS ${numbered('v', index)}`],
  );
  const trace = traces(spans(relation, numbers), values, shape);
  const columns = columnsOf(measures);
  // Materialised, so that the engine groups the rows once.
  const withTrace = sql`WITH trace AS ${shape.hasSingleRows ? emptySql : sql`MATERIALIZED`} (${trace})`;
  const compare = shape.hasSingleTrials ? compareTraces : compareBuckets;
  const row = sql`${withTrace} SELECT ${join(resultColumns(measures))} FROM (${compare(columns, ours, theirs)})`;
  return { measures, row };
}
