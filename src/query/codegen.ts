// Plan to SQL over the arms of a relation. The result's columns are named c0, c1, … in output order.
import { emptySql, join, sql, type Sql } from '../duckdb/sql.js';
import type { EventRelation } from '../schema/event-relation.js';
import { aggregateFunctions, type Aggregation } from './aggregates.js';
import { createArmColumns, declaredField, type ArmColumns } from './arm-columns.js';
import type { AggregateExpr, BoundExpr, BoundSort } from './bound.js';
import { evaluate, type Scope } from './evaluate.js';
import type { QueryContext } from './time.js';
import type { OutputColumn } from './output.js';
import type { GroupPlan, Plan, PlanOutput, RowPlan } from './plan.js';
import { keyOf, scalarKind, sortText, type Value } from './value.js';

export interface GeneratedQuery {
  readonly columns: readonly OutputColumn[];
  readonly rows: Sql;
}

export const generate = (
  plan: Plan,
  relation: EventRelation,
  context: QueryContext,
): GeneratedQuery =>
  plan.kind === 'rows'
    ? generateRows(plan, relation, context)
    : generateGroups(plan, relation, context);

const column = (prefix: string, index: number): Sql => ({ parts: [`${prefix}${index}`] });

const notHere = (what: string) => (): never => {
  throw new Error(`${what} is out of scope`);
};

const rowScope = (field: Scope['field'], context: QueryContext): Scope => ({
  context,
  field,
  key: notHere('key'),
  result: notHere('result'),
});

const groupScope = (groups: Groups, context: QueryContext): Scope => ({
  context,
  field: notHere('field'),
  key: (index) => read(groups.keys, index, 'g'),
  result: (index) => read(groups.aggregations, index, 'a'),
});

/** Keys and aggregates as SQL over rows, and how their values are read from columns. */
interface Groups {
  readonly keys: readonly ReturnType<typeof keyOf>[];
  readonly aggregations: readonly Aggregation[];
}

const groupsOf = (plan: GroupPlan, rows: Scope): Groups => ({
  keys: plan.keys.map((key) => keyOf(evaluate(key, rows))),
  aggregations: plan.aggregates.map((aggregate) => aggregation(aggregate, rows)),
});

function generateRows(
  plan: RowPlan,
  relation: EventRelation,
  context: QueryContext,
): GeneratedQuery {
  const columns = createArmColumns(relation);
  const scope = rowScope(columns.field, context);
  const declared = rowScope(declaredField, context);
  const outputs = plan.outputs.map((output) => generateOutput(output, scope, declared));
  const filter = condition(plan.filter, scope);
  const sample = sampling(plan, columns);
  const order = [
    ...plan.sort.flatMap((item) => sortKeys(item, scope)),
    sql`${columns.order('transaction')} DESC`,
    sql`${columns.order('trace')} DESC`,
    sql`${columns.order('position')} DESC`,
  ];
  const list = outputs.map((output, index) => sql`${output.native} AS ${column('c', index)}`);
  return {
    columns: outputs.map((output) => output.column),
    rows: sql`SELECT ${join(list)} FROM ${sample(sql`${columns.from()}${filter}`)} ORDER BY ${join(order)}${limit(plan.limit)}`,
  };
}

function generateGroups(
  plan: GroupPlan,
  relation: EventRelation,
  context: QueryContext,
): GeneratedQuery {
  const columns = createArmColumns(relation);
  const rows = rowScope(columns.field, context);
  const { keys, aggregations } = groupsOf(plan, rows);
  const scope = groupScope({ keys, aggregations }, context);
  const declared = groupScope(groupsOf(plan, rowScope(declaredField, context)), context);
  const groups = sql`SELECT ${join([
    ...keys.map(({ key }, index) => sql`${key} AS ${column('g', index)}`),
    ...aggregations.map((each, index) => sql`${each.sql} AS ${column('a', index)}`),
  ])} FROM `;
  const filter = condition(plan.filter, rows);
  const sample = sampling(plan, columns);
  const groupBy = keys.length === 0 ? emptySql : sql` GROUP BY ${positions(keys.length)}`;
  const outputs = plan.outputs.map((output) => generateOutput(output, scope, declared));
  const list = outputs.map((output, index) => sql`${output.native} AS ${column('c', index)}`);
  const sort = [
    ...plan.sort,
    ...keys.map((_, index) => ({ expression: { kind: 'key', index }, descending: false }) as const),
  ];
  const order = sort.flatMap((item) => sortKeys(item, scope));
  return {
    columns: outputs.map((output) => output.column),
    rows: sql`SELECT ${join(list)} FROM (${groups}${sample(sql`${columns.from()}${filter}`)}${groupBy})${condition(plan.finalFilter, scope)}${orderBy(order)}${limit(plan.limit)}`,
  };
}

/** The same rows in every run over the same version: those with the lowest hashes. */
function sampling({ sample }: Plan, columns: ArmColumns): (rows: Sql) => Sql {
  if (sample === null) return (rows) => rows;
  const hash = sql`hash(${columns.order('object')}, ${columns.order('id')})`;
  return sample.unit === 'rows'
    ? (rows) => sql`(SELECT * FROM ${rows} ORDER BY ${hash}${limit(sample.amount)})`
    : (rows) =>
        sql`(SELECT * FROM ${rows}) WHERE ${hash} % 1000000 < ${BigInt(Math.round(sample.amount * 10_000))}`;
}

const positions = (count: number): Sql => ({
  parts: [Array.from({ length: count }, (_, index) => index + 1).join(', ')],
});

const read = (
  list: readonly { read(column: Sql): Value }[],
  index: number,
  prefix: string,
): Value => list[index]?.read(column(prefix, index)) ?? notHere(`${prefix}${index}`)();

function aggregation({ name, args }: AggregateExpr, scope: Scope): Aggregation {
  const definition = aggregateFunctions[name];
  if (definition === undefined) throw new Error(`aggregate ${name} is not bound`);
  return definition.apply(args.map((arg) => evaluate(arg, scope)));
}

/**
 * A column that can only have values of one kind keeps its SQL type, any other is JSON text. What it can
 * have is what was declared: where rows are stored changes nothing about a result.
 */
function generateOutput(
  { name, expression, isInexact }: PlanOutput,
  scope: Scope,
  declared: Scope,
) {
  const kind = scalarKind(evaluate(expression, declared));
  const type = kind === null || kind === 'interval' ? 'json' : kind;
  const column: OutputColumn = { name, type, isInexact };
  return { column, native: evaluate(expression, scope).facet(type) };
}

const condition = (filter: BoundExpr | null, scope: Scope): Sql =>
  filter === null ? emptySql : sql` WHERE ${evaluate(filter, scope).facet('boolean')}`;

const orderBy = (keys: readonly Sql[]): Sql =>
  keys.length === 0 ? emptySql : sql` ORDER BY ${join(keys)}`;

const limit = (count: number | null): Sql =>
  count === null ? emptySql : sql` LIMIT ${BigInt(count)}`;

/** NULL comes last in both directions; values of several kinds sort by kind first, and arrays before
 * objects as the text of an array does. */
function sortKeys({ expression, descending }: BoundSort, scope: Scope): readonly Sql[] {
  const value = evaluate(expression, scope);
  const kind = scalarKind(value);
  const direction = descending ? sql`DESC NULLS LAST` : sql`ASC NULLS LAST`;
  const keys =
    kind === null
      ? [value.facet('rank'), value.facet('measure'), sortText(value)]
      : [value.transaction ?? value.facet(kind)];
  return keys.map((key) => sql`${key} ${direction}`);
}
