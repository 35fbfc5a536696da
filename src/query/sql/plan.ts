// Plans a bound query: the expressions per row and per group, and the order of the result.
import type { Position } from '../syntax/ast.js';
import { QueryError } from '../../errors.js';
import {
  replaceExprs,
  signature,
  type AggregateExpr,
  type BoundExpr,
  type BoundQuery,
  type BoundSort,
} from '../bound/bound-query.js';

type CommonPlan = Pick<
  BoundQuery,
  'shape' | 'unpivots' | 'filter' | 'spanFilter' | 'traceFilter' | 'outputs' | 'sample' | 'limit'
>;

export interface RowPlan extends CommonPlan {
  readonly kind: 'rows';
  /** Ties are broken by the page order. */
  readonly sort: readonly BoundSort[];
  /** The number of characters of a long value in the answer; null for all. */
  readonly previewLength: number | null;
}

/** The outputs, the final filter and the sort refer to keys and aggregates by index. */
export interface GroupPlan extends CommonPlan {
  readonly kind: 'groups';
  readonly keys: readonly BoundExpr[];
  readonly aggregates: readonly AggregateExpr[];
  readonly finalFilter: BoundExpr | null;
  /** Ties are broken by the keys. */
  readonly sort: readonly BoundSort[];
}

export type Plan = RowPlan | GroupPlan;

/** All expressions over rows; null for a sample, which reads other columns, too. */
export function expressionsOf(plan: Plan): readonly BoundExpr[] | null {
  if (plan.sample !== null) return null;
  const { unpivots, traceFilter } = plan;
  const ofRows = [
    ...unpivots.map(({ expression }) => expression),
    ...(traceFilter === null ? [] : [traceFilter]),
  ];
  if (plan.kind === 'groups') return [...ofRows, ...plan.keys, ...plan.aggregates];
  return [...ofRows, ...[...plan.outputs, ...plan.sort].map(({ expression }) => expression)];
}

/** @throws QueryError for a field outside of aggregates that is not a dimension */
export function planQuery(query: BoundQuery): Plan {
  return query.isGrouped ? planGroups(query) : planRows(query);
}

function planRows(query: BoundQuery): RowPlan {
  const { shape, unpivots, filter, spanFilter, traceFilter, outputs, sort, sample, limit } = query;
  return {
    kind: 'rows',
    shape,
    unpivots,
    filter,
    spanFilter,
    traceFilter,
    outputs,
    sort,
    sample,
    limit,
    previewLength: previewLength(query),
  };
}

const summaryPreview = 124;

function previewLength({ shape, previewLength: length }: BoundQuery): number | null {
  if (length === null) return shape === 'summary' ? summaryPreview : null;
  return length === 'all' ? null : length;
}

function planGroups(query: BoundQuery): GroupPlan {
  const keys = distinct(query.dimensions);
  const groups: Groups = { query, keys: indexed(keys), aggregates: new Map() };
  const lift = (expression: BoundExpr) => overGroup(expression, groups);
  const outputs = query.outputs.map(({ name, expression }) => ({
    name,
    expression: lift(expression),
  }));
  const finalFilter = query.finalFilter === null ? null : lift(query.finalFilter);
  const sort = query.sort.map((item) => ({ ...item, expression: lift(item.expression) }));
  const { shape, unpivots, filter, spanFilter, traceFilter, sample, limit } = query;
  return {
    kind: 'groups',
    shape,
    unpivots,
    filter,
    spanFilter,
    traceFilter,
    keys,
    aggregates: Array.from(groups.aggregates.values(), ({ aggregate }) => aggregate),
    outputs,
    finalFilter,
    sort,
    sample,
    limit,
  };
}

function distinct(expressions: readonly BoundExpr[]): readonly BoundExpr[] {
  return [...new Map(expressions.map((each) => [signature(each), each])).values()];
}

/** The keys and aggregates of a plan, by signature. */
interface Groups {
  readonly query: BoundQuery;
  readonly keys: ReadonlyMap<string, number>;
  readonly aggregates: Map<string, { readonly aggregate: AggregateExpr; readonly index: number }>;
}

const indexed = (keys: readonly BoundExpr[]): ReadonlyMap<string, number> =>
  new Map(keys.map((key, index) => [signature(key), index]));

/** Rewrites an expression over rows to one over keys and aggregates. Adds its aggregates to `aggregates`. */
function overGroup(expression: BoundExpr, groups: Groups): BoundExpr {
  const { keys, aggregates } = groups;
  return replaceExprs(expression, (candidate) => {
    // A function can require a constant, which a key is not.
    if (candidate.kind === 'literal' && candidate !== expression) return candidate;
    const key = keys.size === 0 ? undefined : keys.get(signature(candidate));
    if (key !== undefined) return { kind: 'key', index: key };
    if (candidate.kind === 'field') {
      const path = [candidate.field, ...candidate.steps].join('.');
      throw ungrouped(path, candidate.at, groups);
    }
    if (candidate.kind === 'member') throw ungrouped(candidate.name, candidate.at, groups);
    if (candidate.kind !== 'aggregate') return null;
    const text = signature(candidate);
    const index = aggregates.get(text)?.index ?? aggregates.size;
    aggregates.set(text, { aggregate: candidate, index });
    return { kind: 'result', index };
  });
}

function ungrouped(path: string, at: Position, { query, keys }: Groups) {
  const hasKeys = keys.size > 0;
  const grouping =
    query.isSelect && !hasKeys
      ? "group with 'dimensions: …' and 'measures: …' instead of 'select'"
      : "add it to 'dimensions'";
  return new QueryError(
    at,
    `'${path}' has several values per ${hasKeys ? 'group' : 'result'}: use an aggregate, or ${grouping} (GROUP BY in SQL)`,
  );
}
