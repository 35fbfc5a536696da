// Compiles a bound query to a statement of Trino that has the same rows as the SQL for DuckDB, or declines with a reason.
import { emptySql, join, limitTo, numbered, sql, word, type Sql } from '../../duckdb/sql.js';
import type { BoundSort } from '../bound/bound-query.js';
import type { PreparedQuery } from '../compile.js';
import type { GroupPlan, Plan, RowPlan } from '../sql/plan.js';
import type { QueryContext } from '../value/time.js';
import { aggregates } from './aggregates.js';
import { evaluate, type Scope } from './expression.js';
import { Declined, decline, statementText } from './statement.js';
import { fieldIn, pageOrder, type TrinoTable } from './table.js';
import { as, scalar, type Kind } from './value.js';

export interface TrinoColumn {
  readonly name: string;
  /** `json` is JSON text; `number` a double. */
  readonly kind: Kind;
}

export interface TrinoQuery {
  readonly sql: string;
  /** In the order of the statement, where they are `c0`, `c1`, …; those of the place follow. */
  readonly columns: readonly TrinoColumn[];
}

export interface TrinoInput {
  readonly table: TrinoTable;
  /** The objects that the query reads. */
  readonly objectIds: readonly string[];
  readonly context: QueryContext;
  /** Whether the answer has pages: one more row, and the place of each row in the page order. */
  readonly hasPages?: boolean;
}

/** The columns of the place of a row: its transaction, its trace and its position. */
const placeColumns: readonly (TrinoColumn & { readonly sql: Sql })[] = [
  { name: 'transaction', kind: 'string', sql: sql`CAST(_xact_id AS varchar)` },
  { name: 'trace', kind: 'string', sql: sql`root_span_id` },
  { name: 'position', kind: 'number', sql: sql`CAST(_position AS double)` },
];

/** The largest limit of a query for rows. */
const rowsMax = 10_000;

/** Trino refuses larger limits of sorted rows. */
const limitMax = 2_147_483_647;

/** Trino refuses longer statements, of a million characters. */
const charactersMax = 900_000;

/** Why whole queries decline, by what they have. */
const declines: readonly (readonly [string, (query: PreparedQuery) => boolean])[] = [
  ['infer', ({ ast }) => ast.infer !== null],
  ['a page after the first', ({ ast }) => ast.cursor !== null],
  ['pivot', ({ ast }) => ast.pivot.length > 0],
  ['unpivot', ({ plan }) => plan.unpivots.length > 0],
  ['sample', ({ plan }) => plan.sample !== null],
  ['row versions', ({ plan }) => plan.shape === 'versions'],
  ['whole traces', ({ plan }) => plan.shape === 'traces'],
  ['summaries of traces', ({ plan }) => plan.shape === 'summary'],
  ['a condition on traces', ({ plan }) => plan.traceFilter !== null || plan.spanFilter !== null],
  ['preview_length', ({ plan }) => plan.kind === 'rows' && plan.previewLength !== null],
  [
    `rows without a limit of at most ${rowsMax}`,
    ({ plan }) => plan.kind === 'rows' && (plan.limit === null || plan.limit > rowsMax),
  ],
];

export function compileForTrino(
  query: PreparedQuery,
  input: TrinoInput,
): TrinoQuery | { readonly declined: string } {
  const reason = declines.find(([, has]) => has(query))?.[0];
  if (reason !== undefined) return { declined: reason };
  try {
    const { plan } = query;
    const compiled = plan.kind === 'rows' ? rowsOf(plan, input) : groupsOf(plan, input);
    const text = statementText(compiled.statement);
    if (text.length > charactersMax) return { declined: 'a statement of a million characters' };
    return { sql: text, columns: compiled.columns };
  } catch (error) {
    if (error instanceof Declined) return { declined: error.message };
    throw error;
  }
}

interface Compiled {
  readonly statement: Sql;
  readonly columns: readonly TrinoColumn[];
}

const outOfScope = (): never => {
  throw new Error('an expression over groups is among those over rows, or the other way round');
};

const rowScope = ({ table, context }: TrinoInput): Scope => ({
  context,
  field: (name, steps) => fieldIn(table, name, steps),
  key: outOfScope,
  result: outOfScope,
});

/** The rows of the query's objects that pass the filter. */
function source({ filter }: Plan, { table, objectIds }: TrinoInput, scope: Scope): Sql {
  if (objectIds.length === 0) return decline('no events');
  const ids = sql`object_id IN (${join(objectIds.map((id) => sql`${id}`))})`;
  const test = filter === null ? emptySql : sql` AND ${as('boolean', evaluate(filter, scope))}`;
  return sql`${table.from} WHERE ${ids}${test}`;
}

function outputsOf({ outputs }: Plan, scope: Scope) {
  const values = outputs.map(({ name, expression }) => ({ name, ...evaluate(expression, scope) }));
  const list = join(values.map((value, index) => sql`${value.sql} AS ${numbered('c', index)}`));
  return { list, columns: values.map(({ name, kind }): TrinoColumn => ({ name, kind })) };
}

function rowsOf(plan: RowPlan, input: TrinoInput): Compiled {
  const scope = rowScope(input);
  const { list, columns } = outputsOf(plan, scope);
  const order = [...keysOf(plan.sort, scope), ...pageOrder.map((name) => sql`${word(name)} DESC`)];
  const place = input.hasPages === true ? placeColumns : [];
  const selected = join([list, ...place.map((column) => column.sql)]);
  const limit = plan.limit === null ? null : plan.limit + Math.sign(place.length);
  const statement = sql`SELECT ${selected} FROM ${source(plan, input, scope)} ORDER BY ${join(order)}${limitTo(limit)}`;
  return { statement, columns: [...columns, ...place] };
}

const keysOf = (sort: readonly BoundSort[], scope: Scope): readonly Sql[] =>
  sort.map(({ expression, descending }) => {
    const { sql: key } = scalar(evaluate(expression, scope), 'in sort');
    return descending ? sql`${key} DESC NULLS LAST` : sql`${key} ASC NULLS LAST`;
  });

function groupsOf(plan: GroupPlan, input: TrinoInput): Compiled {
  const rows = rowScope(input);
  const keys = plan.keys.map((key) => scalar(evaluate(key, rows), 'as a group'));
  const results = plan.aggregates.map(({ name, args }) =>
    (aggregates[name] ?? decline(`the aggregate ${name}`))(args.map((arg) => evaluate(arg, rows))),
  );
  const groups: Scope = {
    context: input.context,
    field: outOfScope,
    key: (index) => ({ kind: keys[index]?.kind ?? 'null', sql: numbered('g', index) }),
    result: (index) => results[index]?.read(numbered('a', index)) ?? outOfScope(),
  };
  const { list, columns } = outputsOf(plan, groups);
  const selected = [
    ...keys.map(({ sql: key }, index) => sql`${key} AS ${numbered('g', index)}`),
    ...results.map((result, index) => sql`${result.sql} AS ${numbered('a', index)}`),
  ];
  const places = keys.map((_, index) => word(index + 1));
  const grouping = keys.length === 0 ? emptySql : sql` GROUP BY ${join(places)}`;
  const { finalFilter } = plan;
  const having =
    finalFilter === null ? emptySql : sql` WHERE ${as('boolean', evaluate(finalFilter, groups))}`;
  const byKey = keys.map((_, index): BoundSort => ({
    expression: { kind: 'key', index },
    descending: false,
  }));
  const order = keysOf([...plan.sort, ...byKey], groups);
  const limit = plan.limit !== null && plan.limit > limitMax ? null : plan.limit;
  const ordered = order.length === 0 ? emptySql : sql` ORDER BY ${join(order)}`;
  const statement = sql`SELECT ${list} FROM (SELECT ${join(selected)} FROM ${source(plan, input, rows)}${grouping})${having}${ordered}${limitTo(limit)}`;
  return { statement, columns };
}
