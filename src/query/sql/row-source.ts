// The rows that a plan reads, by the shape of the query: rows that pass the filter, or all rows of traces that pass it.
import { emptySql, join, limitTo, sql, type Sql } from '../../duckdb/sql.js';
import type { BranchColumns } from './branch-columns.js';
import type { Sample } from '../syntax/ast.js';
import type { TraceFilter } from './trace-filter.js';
import type { Members } from './unpivot.js';

export interface SortKey {
  readonly key: Sql;
  readonly descending: boolean;
}

/** NULL is last in both directions. */
export const sorted = ({ key, descending }: SortKey): Sql =>
  descending ? sql`${key} DESC NULLS LAST` : sql`${key} ASC NULLS LAST`;

export interface RowSource {
  readonly columns: BranchColumns;
  readonly members: Members;
  /** Whether the filter, or the order of traces, depends on members. */
  readonly readsMembers: boolean;
  /** A condition on rows, or null. */
  readonly filter: Sql | null;
  /** In the shape `traces`: the filter of a trace, or null. */
  readonly traceFilter: TraceFilter | null;
  /** Parenthesised SELECT of (object_id, root_span_id) of the traces to read; null for all. */
  readonly passing: Sql | null;
  /** The condition on the rows of a trace that the result has; null for all rows. */
  readonly spanFilter: Sql | null;
  readonly sample: Sample | null;
  /** The columns that tell versions of a row apart; empty if the rows are of one version each. */
  readonly versionOrder: readonly Sql[];
}

const where = (filter: Sql | null): Sql => (filter === null ? emptySql : sql` WHERE ${filter}`);

/** The FROM clause, to be called after all columns were requested. */
export function spans({ columns, members, filter, sample, versionOrder }: RowSource): () => Sql {
  const identity = () => [columns.order('object'), columns.order('id'), ...members.places];
  const sampled = sampling(sample, identity, versionOrder);
  return () => sampled(sql`${members.of(columns.from())}${where(filter)}`);
}

export interface TraceLimit {
  /** The number of traces. Traces are ordered by their first row. */
  readonly count: number;
  /** The order of rows; null for the default one, from the newest row on. */
  readonly order: readonly SortKey[] | null;
}

/** All rows of each trace with a row that passes; samples and limits count traces. */
export function traces(source: RowSource, limit: TraceLimit | null): () => Sql {
  const { columns, members } = source;
  const wanted = wantedTraces(source, limit);
  const trace = [columns.order('object'), columns.order('trace')];
  return () =>
    sql`(SELECT * FROM ${members.of(columns.from())} SEMI JOIN ${wanted()} USING (${join(trace)})${where(source.spanFilter)})`;
}

/** Parenthesised SELECT of the objects and traces with a row that passes; with a limit, of the first ones. */
export function wantedTraces(
  { columns, members, readsMembers, traceFilter, passing, spanFilter, sample }: RowSource,
  limit: TraceLimit | null,
): () => Sql {
  const trace = [columns.order('object'), columns.order('trace')];
  const sampled = sampling(sample, () => trace);
  const order = limit?.order ?? null;
  const first = limit === null ? null : firstTraces(limit, columns);
  const conditions = [
    ...(traceFilter === null ? [] : [traceFilter.passes]),
    ...(spanFilter === null ? [] : [sql`bool_or(${spanFilter})`]),
  ];
  const having = conditions.length === 0 ? emptySql : sql` HAVING ${join(conditions, ' AND ')}`;
  const list = join(first === null ? trace : [...trace, first.place]);
  return () => {
    const all = readsMembers ? members.of(columns.from()) : columns.from();
    const searched = order === null ? all : withPlaces(all, order);
    const some =
      passing === null
        ? searched
        : sql`${searched} SEMI JOIN ${named(passing, trace)} USING (${join(trace)})`;
    const rows = traceFilter === null ? some : traceFilter.rowsFor(some, trace);
    const found = sql`(SELECT ${list} FROM ${rows} GROUP BY ${join(trace)}${having})`;
    return sql`(SELECT ${join(trace)} FROM ${sampled(found)}${first?.clause ?? emptySql})`;
  };
}

/** The aggregate over the rows of a trace that orders it among others, and the clause that takes the first traces. */
function firstTraces({ count, order }: TraceLimit, columns: BranchColumns) {
  const [object, trace] = [columns.order('object'), columns.order('trace')];
  const taken = (keys: Sql) => sql` ORDER BY ${keys}, ${object}, ${trace}${limitTo(count)}`;
  if (order !== null) return { place: sql`min(row_place) AS place`, clause: taken(sql`place`) };
  // One aggregate, since the greatest transaction and the greatest position can be those of different rows.
  const newest = sql`(${columns.order('transaction')}, ${columns.order('position')})`;
  return {
    place: sql`max(${newest}) AS place`,
    clause: taken(sql`place[1] DESC, ${trace} DESC, place[2] DESC`),
  };
}

const named = (traces: Sql, [object, trace]: readonly Sql[]): Sql =>
  sql`(SELECT object_id AS ${object ?? emptySql}, root_span_id AS ${trace ?? emptySql} FROM ${traces})`;

/** The rows with their row numbers in an order. Taking the least value of each key would mix keys of several rows of a trace. */
const withPlaces = (rows: Sql, order: readonly SortKey[]): Sql =>
  sql`(SELECT *, row_number() OVER (ORDER BY ${join(order.map(sorted))}) AS row_place FROM ${rows})`;

/** Samples by hash, so that each run over the same version selects the same rows. */
function sampling(
  sample: Sample | null,
  identity: () => readonly Sql[],
  within: readonly Sql[] = [],
): (rows: Sql) => Sql {
  if (sample === null) return (rows) => rows;
  const hash = sql`hash(${join(identity())})`;
  return sample.unit === 'rows'
    ? (rows) =>
        sql`(SELECT * FROM ${rows} ORDER BY ${join([hash, ...within])}${limitTo(sample.amount)})`
    : (rows) =>
        sql`(SELECT * FROM ${rows}) WHERE ${hash} % 1000000 < ${BigInt(Math.round(sample.amount * 10_000))}`;
}
