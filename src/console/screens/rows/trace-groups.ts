// Scores and metrics of traces as aggregates over groups of spans, which sort many traces much faster than summaries. The metrics
// must equal those of the shape `summary`.
import { textOf } from '../../server/clauses.js';
import { isOneOf, ordersMax, rootsQuery, type ListQuery } from './view.js';

const counted = (value: string): string =>
  `(span_attributes.purpose = 'scorer' ? null : (${value}))`;
const isTask = `span_attributes.type = 'task' and metrics.start is not null and metrics.end is not null`;
const rootSeconds = 'is_root ? metrics.end - metrics.start : null';
const duration = `coalesce(max(${counted(`${isTask} ? metrics.end : null`)}) - min(${counted(`${isTask} ? metrics.start : null`)}), max(${counted(rootSeconds)}))`;

/** Metrics as aggregates over the spans of a trace. */
function aggregateOf(expression: string): string | null {
  if (expression === 'metrics.duration') return duration;
  return /^scores\.\w+$/.test(expression) ? `avg(${expression})` : null;
}

/** Whether groups can have the sort of a view. */
export const hasGroups = ({ sort }: ListQuery): boolean => orderOf(sort) !== null;

function orderOf(sort: string) {
  const [, expression = '', direction = ''] = /^(\S+) (asc|desc)$/.exec(sort) ?? [];
  const aggregate = aggregateOf(expression);
  return aggregate === null ? null : { aggregate, direction };
}

/**
 * The `root_span_id` of the first traces of a view with such a sort, in order.
 * @param candidates all traces that pass; null if unknown
 */
export function groupsQuery(list: ListQuery, candidates: readonly string[] | null): string {
  const { aggregate = 'null', direction = '' } = orderOf(list.sort) ?? {};
  const { filter = 'is_root', from = '' } = rootsQuery(list);
  const passes = candidates === null ? `(${filter}\n)` : 'is_root';
  return textOf({
    dimensions: 'root_span_id',
    measures: `${aggregate} as whole, max(${passes} ? id : null) as root`,
    from,
    filter: candidates === null ? '' : isOneOf(list.source, candidates),
    final_filter: 'root is not null',
    sort: `whole ${direction}, root desc`,
    limit: String(ordersMax),
  });
}
