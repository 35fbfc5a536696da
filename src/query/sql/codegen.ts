// Generates SQL from a plan, over the branches of a relation. Result columns are named c0, c1, … in output order.
import { emptySql, join, limitTo, numbered, sql, word, type Sql } from '../../duckdb/sql.js';
import type { EventRelation } from '../../schema/event-relation.js';
import type { Scans } from './branch-union.js';
import { aggregateFunctions, type Aggregation } from '../value/aggregates.js';
import { withoutAbsent } from './absent-branches.js';
import { createBranchColumns, declaredFields, type BranchColumns } from './branch-columns.js';
import {
  someExpr,
  wholeField,
  type AggregateExpr,
  type BoundExpr,
  type BoundOutput,
  type BoundSort,
} from '../bound/bound-query.js';
import { evaluate, type Scope } from '../value/evaluate.js';
import { withoutCounted, withRows } from './counted-branches.js';
import type { OutputColumn } from './output.js';
import type { PathTypes } from '../bind/path-types.js';
import { columnType } from '../value/column-type.js';
import { expressionsOf, type GroupPlan, type Plan, type RowPlan } from './plan.js';
import { isPreviewed, preview } from '../value/preview.js';
import { positionText, type PositionColumns } from '../cursor/query-cursor.js';
import { rowsFromStart, type PageStart } from './page-start.js';
import {
  sorted,
  spans,
  traces,
  type RowSource,
  type SortKey,
  type TraceLimit,
} from './row-source.js';
import { summaryKeys, type SummarisedTraces } from './summary-keys.js';
import { summaryRelation } from './summary-relation.js';
import type { QueryContext } from '../value/time.js';
import { hasAnySpan, traceFilter } from './trace-filter.js';
import { createMembers, declaredMembers, type Members } from './unpivot.js';
import { keyOf, type Key } from '../value/typed-columns.js';
import { scalarKind, sortText } from '../value/value.js';

export interface GeneratedQuery {
  readonly columns: readonly OutputColumn[];
  readonly rows: Sql;
  /** The same rows without sorting, except where the order determines which rows are in the result. */
  readonly unordered: Sql;
  /** As `rows`, with one more row and a column `place`, the position in the page order; null for a query without pages. */
  readonly page: Sql | null;
}

export interface CodegenInput {
  readonly relation: EventRelation;
  readonly context: QueryContext;
  readonly types: PathTypes;
  readonly start: PageStart;
}

export function generate(plan: Plan, input: CodegenInput): GeneratedQuery {
  const { relation } = input;
  if (plan.shape === 'summary') {
    const summary = summariesFor(plan, input, expressionsOf(plan));
    const ofRows = { shape: 'spans', filter: plan.traceFilter, traceFilter: null } as const;
    return generate({ ...plan, ...ofRows }, { ...input, relation: summary });
  }
  const present = { ...input, relation: withoutAbsent(plan, relation) };
  return plan.kind === 'rows' ? generateRows(plan, present) : generateGroups(plan, present);
}

/** Summaries of the traces that match, at least with the columns that the expressions `read`; with all columns if it is null. */
function summariesFor(
  plan: Plan,
  input: CodegenInput,
  read: readonly BoundExpr[] | null,
): EventRelation {
  const keys = read && summaryKeys(input.relation, summarisedTraces(plan, input), read);
  return keys ?? summaryRelation(input.relation, matchedTraces(plan, input));
}

export const summarisedTraces = (plan: Plan, input: CodegenInput): SummarisedTraces =>
  plan.filter && wholeField(plan.filter) === 'is_root' ? 'rooted' : matchedTraces(plan, input);

/** Parenthesised SELECT of (object_id, root_span_id), or null for all. */
function matchedTraces(plan: Plan, { relation, context }: CodegenInput): Sql | null {
  if (plan.filter === null) return null;
  const { columns, members, scope } = rowsOf(plan, relation, context);
  const ofTrace = hasAnySpan(plan.filter) ? traceFilter(plan.filter, scope) : null;
  const filter = ofTrace?.passes ?? condition(plan.filter, scope);
  const trace = [columns.order('object'), columns.order('trace')] as const;
  const [object, root] = trace;
  const rows = readsMember(plan.filter) ? members.of(columns.from()) : columns.from();
  const keys = sql`${object} AS object_id, ${root} AS root_span_id`;
  return ofTrace === null
    ? sql`(SELECT DISTINCT ${keys} FROM ${rows} WHERE ${filter})`
    : sql`(SELECT ${keys} FROM ${ofTrace.rowsFor(rows, trace)} GROUP BY ${join(trace)} HAVING ${filter})`;
}

/** Parenthesised SELECT of (object_id, root_span_id) of the traces whose summaries pass. */
function passingTraces(plan: Plan, input: CodegenInput): Sql | null {
  if (plan.traceFilter === null) return null;
  const columns = createBranchColumns(summariesFor(plan, input, [plan.traceFilter]));
  const scope = rowScope(columns.field, unscoped('member'), input.context);
  const filter = condition(plan.traceFilter, scope);
  const [object, trace] = [columns.order('object'), columns.order('trace')];
  return sql`(SELECT ${object} AS object_id, ${trace} AS root_span_id FROM ${columns.from()} WHERE ${filter})`;
}

const unscoped = (what: string) => (): never => {
  throw new Error(`${what} is out of scope`);
};

const rowScope = (
  field: Scope['field'],
  member: Scope['member'],
  context: QueryContext,
): Scope => ({
  context,
  field,
  member,
  key: unscoped('key'),
  result: unscoped('result'),
});

const groupScope = (groups: Groups, context: QueryContext): Scope => ({
  context,
  field: unscoped('field'),
  member: unscoped('member'),
  key: (index) =>
    groups.keys[index]?.read(groups.keyColumns[index] ?? []) ?? unscoped(`key ${index}`)(),
  result: (index) =>
    groups.aggregations[index]?.read(numbered('a', index)) ?? unscoped(`result ${index}`)(),
});

/** The columns of a relation, and the scope of expressions over its rows. */
interface Rows {
  readonly columns: BranchColumns;
  readonly members: Members;
  readonly scope: Scope;
}

function rowsOf(
  { unpivots }: Plan,
  relation: EventRelation,
  context: QueryContext,
  scans: Scans = 'apart',
): Rows {
  const columns = createBranchColumns(relation, scans);
  const scopeOf = (member: Scope['member']) => rowScope(columns.field, member, context);
  const members = createMembers(unpivots, columns, scopeOf);
  return { columns, members, scope: scopeOf(members.value) };
}

/** Keys and aggregates as SQL over rows, and as values read from columns. */
interface Groups {
  readonly keys: readonly Key[];
  /** The names of the columns of each key. */
  readonly keyColumns: readonly (readonly Sql[])[];
  readonly aggregations: readonly Aggregation[];
}

function groupsOf(plan: GroupPlan, rows: Scope): Groups {
  let first = 0;
  const keys = plan.keys.map((key) => keyOf(evaluate(key, rows)));
  return {
    keys,
    keyColumns: keys.map(({ columns }) => columns.map(() => numbered('g', first++))),
    aggregations: plan.aggregates.map((aggregate) => aggregation(aggregate, rows)),
  };
}

interface ArrangedRows {
  readonly outputs: readonly ReturnType<typeof generateOutput>[];
  /** The outputs as `c0`, `c1`, …. */
  readonly list: readonly Sql[];
  readonly place: PositionColumns;
  readonly source: RowSource;
  /** The columns of events, before `unpivot`. */
  readonly eventOrder: readonly SortKey[];
  /** SELECT of the rows from the start of the page on, unordered. */
  readonly unordered: (selected: readonly Sql[]) => Sql;
  /** As `unordered`, in the order of the result. */
  readonly select: (selected: readonly Sql[], count: number | null) => Sql;
}

export function arrangeRows(plan: RowPlan, input: CodegenInput): ArrangedRows {
  const { relation, context, start } = input;
  const ofRelation = rowsOf(plan, relation, context);
  const { columns, members, scope } = ofRelation;
  const declared = declaredScope(plan, input);
  const outputs = plan.outputs.map((output) => generateOutput(output, scope, declared));
  const source = sourceOf(plan, ofRelation, input);
  const keys = plan.sort.flatMap((item) => sortKeys(item, scope));
  const place = placeOf(columns, members);
  const { transaction, trace, position } = place;
  const eventOrder = [
    ...keys,
    ...[transaction, trace, position].map((key) => ({ key, descending: true })),
  ];
  const order = [...eventOrder, ...place.members.map((key) => ({ key, descending: false }))];
  const list = outputs.map((output, index) => {
    const isCut = plan.previewLength !== null && isPreviewed(output.expression);
    const selected = isCut ? preview(output.native, plan.previewLength) : output.native;
    return sql`${selected} AS ${numbered('c', index)}`;
  });
  const rows = shaped(plan, source, eventOrder);
  const unordered = (selected: readonly Sql[]): Sql =>
    sql`SELECT ${join(selected)} FROM ${rowsFromStart(plan, rows, { start, keys, place })}`;
  const select = (selected: readonly Sql[], count: number | null): Sql =>
    sql`${unordered(selected)} ORDER BY ${join(order.map(sorted))}${limitTo(count)}`;
  return { outputs, list, place, source, eventOrder, unordered, select };
}

function generateRows(plan: RowPlan, input: CodegenInput): GeneratedQuery {
  const { outputs, list, place, unordered, select } = arrangeRows(plan, input);
  const count = plan.shape === 'traces' ? null : plan.limit;
  const hasPages = input.start.order !== null && count !== null && count > 0;
  const rows = select(list, count);
  return {
    columns: outputs.map((output) => output.column),
    rows,
    unordered: count === null ? unordered(list) : rows,
    page: hasPages ? select([...list, sql`${positionText(place)} AS place`], count + 1) : null,
  };
}

const placeOf = (columns: BranchColumns, members: Members): PositionColumns => ({
  transaction: columns.order('transaction'),
  trace: columns.order('trace'),
  position: columns.order('position'),
  members: members.places,
});

function declaredScope({ unpivots }: Plan, { context, types }: CodegenInput): Scope {
  const scopeOf = (member: Scope['member']) => rowScope(declaredFields(types), member, context);
  return scopeOf(declaredMembers(unpivots, scopeOf));
}

const readsMember = (expression: BoundExpr): boolean =>
  someExpr(expression, ({ kind }) => kind === 'member');

function sourceOf(plan: Plan, { columns, members, scope }: Rows, input: CodegenInput): RowSource {
  const { filter, spanFilter, sample } = plan;
  const order = plan.kind === 'rows' ? plan.sort.map(({ expression }) => expression) : [];
  const readsMembers = [filter, spanFilter, ...order].some(
    (each) => each !== null && readsMember(each),
  );
  const isOfTraces = plan.shape === 'traces';
  const test = <T>(expression: BoundExpr | null, of: (filter: BoundExpr, scope: Scope) => T) =>
    expression === null ? null : of(expression, scope);
  return {
    columns,
    members,
    readsMembers,
    filter: isOfTraces ? null : test(filter, condition),
    traceFilter: isOfTraces ? test(filter, traceFilter) : null,
    passing: passingTraces(plan, input),
    spanFilter: test(spanFilter, condition),
    sample,
    versionOrder:
      plan.shape === 'versions' && sample?.unit === 'rows'
        ? [columns.order('transaction'), columns.order('position')]
        : [],
  };
}

/** The FROM clause. In the shape `traces`, it applies the limit, which counts traces. */
function shaped(plan: Plan, source: RowSource, order: readonly SortKey[]): () => Sql {
  if (plan.shape !== 'traces') return spans(source);
  return traces(source, plan.kind === 'rows' ? traceLimit(plan, order) : null);
}

export const traceLimit = (
  { limit, sort }: RowPlan,
  order: readonly SortKey[],
): TraceLimit | null =>
  limit === null ? null : { count: limit, order: sort.length === 0 ? null : order };

function generateGroups(plan: GroupPlan, input: CodegenInput): GeneratedQuery {
  const { relation, context } = input;
  const counted = withoutCounted(plan, relation);
  const rows = rowsOf(plan, counted.relation, context, 'together');
  const groupsOfRows = groupsOf(plan, rows.scope);
  const { keys, aggregations } = groupsOfRows;
  const scope = groupScope(groupsOfRows, context);
  const declared = groupScope(groupsOf(plan, declaredScope(plan, input)), context);
  const keyParts = keys.flatMap((key) => key.columns);
  const groups = sql`SELECT ${join([
    ...keyParts.map((part, index) => sql`${part} AS ${numbered('g', index)}`),
    ...aggregations.map(
      (each, index) => sql`${withRows(each, counted.rows).sql} AS ${numbered('a', index)}`,
    ),
  ])} FROM `;
  const from = shaped(plan, sourceOf(plan, rows, input), []);
  const groupBy = keyParts.length === 0 ? emptySql : sql` GROUP BY ${positions(keyParts.length)}`;
  const outputs = plan.outputs.map((output) => generateOutput(output, scope, declared));
  const list = outputs.map((output, index) => sql`${output.native} AS ${numbered('c', index)}`);
  const sort = [
    ...plan.sort,
    ...keys.map((_, index) => ({ expression: { kind: 'key', index }, descending: false }) as const),
  ];
  const order = sort.flatMap((item) => sortKeys(item, scope));
  const having =
    plan.finalFilter === null ? emptySql : sql` WHERE ${condition(plan.finalFilter, scope)}`;
  const all = sql`SELECT ${join(list)} FROM (${groups}${from()}${groupBy})${having}${orderBy(order)}${limitTo(plan.limit)}`;
  return {
    columns: outputs.map((output) => output.column),
    rows: all,
    unordered: all,
    page: null,
  };
}

const positions = (count: number): Sql =>
  join(Array.from({ length: count }, (_, index) => word(index + 1)));

function aggregation({ name, args }: AggregateExpr, scope: Scope): Aggregation {
  const definition = aggregateFunctions[name];
  if (definition === undefined) throw new Error(`aggregate ${name} is not bound`);
  return definition.apply(args.map((arg) => evaluate(arg, scope)));
}

/**
 * A column whose values can have only one kind has the SQL type of that kind, any other is JSON text. The declared kinds decide,
 * so the result does not depend on storage.
 */
function generateOutput({ name, expression }: BoundOutput, scope: Scope, declared: Scope) {
  const declaredValue = evaluate(expression, declared);
  const kind = scalarKind(declaredValue);
  const type = kind === null || kind === 'interval' ? 'json' : kind;
  const column: OutputColumn = { name, type, typedAs: columnType(declaredValue) };
  return { column, expression, native: evaluate(expression, scope).form(type) };
}

const condition = (filter: BoundExpr, scope: Scope): Sql => evaluate(filter, scope).form('boolean');

const orderBy = (keys: readonly SortKey[]): Sql =>
  keys.length === 0 ? emptySql : sql` ORDER BY ${join(keys.map(sorted))}`;

/** Values of several kinds sort by kind first. Arrays and objects sort by text, which puts arrays first. */
function sortKeys({ expression, descending }: BoundSort, scope: Scope): readonly SortKey[] {
  const value = evaluate(expression, scope);
  const kind = scalarKind(value);
  const keys =
    kind === null
      ? [value.form('rank'), value.form('measure'), sortText(value)]
      : (value.sortKeys ?? [value.transaction ?? value.form(kind)]);
  return keys.map((key) => ({ key, descending }));
}
