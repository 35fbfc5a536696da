// Summaries of traces for queries that read only some of their fields: a relation like that of `summary-relation`, in which the
// columns that no expression reads are NULL. It reads narrow columns where they suffice.
import { emptySql, identifier, join, numbered, sql, word, type Sql } from '../../duckdb/sql.js';
import { eventColumns, sqlTypes, type EventColumn } from '../../schema/event-columns.js';
import type { EventRelation } from '../../schema/event-relation.js';
import { someExpr, type BoundExpr } from '../bound/bound-query.js';
import { numberText } from '../value/value.js';
import { repeatable } from '../value/repeatable.js';
import { createBranchColumns, type BranchColumns } from './branch-columns.js';
import { rootOf } from './summary-relation.js';
import { computedMetrics, knownMetrics, manyRows, spanFacts } from './trace-metrics.js';

type Members = 'scores' | 'metrics';

/** The parts of summaries that expressions read. */
interface Keys {
  readonly scores: ReadonlySet<string>;
  readonly metrics: ReadonlySet<string>;
  /** The columns of the root. */
  readonly root: ReadonlySet<EventColumn>;
}

/** The fields that follow from the id of the trace and its newest row. */
const placed: ReadonlySet<string> = new Set(['root_span_id', '_xact_id', '_pagination_key']);

/** Returns null if the expressions read scores or metrics as a whole, or a field that is neither a column nor in `placed`. */
function keysOf(expressions: readonly BoundExpr[]): Keys | null {
  const found = { scores: new Set<string>(), metrics: new Set<string>() };
  const root = new Set<EventColumn>();
  const isOther = (part: BoundExpr): boolean => {
    if (part.kind !== 'field' || placed.has(part.field)) return false;
    const { field, steps } = part;
    if (field === 'scores' || field === 'metrics') {
      const [name] = steps;
      if (typeof name === 'string') found[field].add(name);
      return typeof name !== 'string';
    }
    // The field `project_id` is computed from several columns.
    if (!Object.hasOwn(eventColumns, field) || field === 'project_id') return true;
    root.add(field as EventColumn);
    return false;
  };
  const isReadable = expressions.every((each) => !someExpr(each, isOther));
  return isReadable ? { ...found, root } : null;
}

/** Whether summaries for these expressions need no JSON text. */
export function isNarrow(expressions: readonly BoundExpr[]): boolean {
  const keys = keysOf(expressions);
  return keys !== null && [...keys.root].every((name) => eventColumns[name] !== 'json');
}

/** The traces to summarise: as for `summaryRelation`, or those with a root, which the same aggregation finds. */
export type SummarisedTraces = Sql | 'rooted' | null;

/**
 * The relation for `expressions`. Returns null if the expressions read more than
 * members of scores and metrics and columns of the root.
 */
export function summaryKeys(
  relation: EventRelation,
  wanted: SummarisedTraces,
  expressions: readonly BoundExpr[],
): EventRelation | null {
  const keys = keysOf(expressions);
  if (keys === null || relation.branches.length === 0) return null;
  const hasLossless = relation.branches.some((branch) => branch.hasLossless);
  const root = [...keys.root, ...(hasLossless ? (['_lossless'] as const) : [])];
  const members = { scores: scoresOf(keys), metrics: metricsOf(keys) };
  const means = [...members.scores, ...members.metrics].map(
    ({ mean, name }) => sql`${mean} AS ${name}`,
  );
  const traces = sql`SELECT ${join([
    sql`object_id, root_span_id, max((_xact_id, _position)) AS _newest`,
    ...(root.length === 0 ? [] : [sql`${narrowRoot(root)} AS _root`]),
    ...means,
  ])} FROM (${spansOf(relation, keys, root)})${
    typeof wanted === 'object' && wanted !== null
      ? sql` SEMI JOIN ${wanted} USING (object_id, root_span_id)`
      : emptySql
  } GROUP BY object_id, root_span_id${wanted === 'rooted' ? sql` HAVING bool_or(is_root)` : emptySql}`;
  const columns = Object.entries(eventColumns).map(([name, type]) => {
    const value = columnOf(name as EventColumn, root, members);
    return sql`${value ?? sql`CAST(NULL AS ${word(sqlTypes[type])})`} AS ${identifier(name)}`;
  });
  const rows = sql`(SELECT ${join(columns)} FROM (${traces}))`;
  return { ...relation, branches: [{ name: 'traces', rows, hasLossless, paths: null }] };
}

/** As `rootOf`. The time alone is a least one, for which no rows are compared. */
const narrowRoot = (root: readonly EventColumn[]): Sql =>
  root.join() === 'created'
    ? sql`struct_pack("created" := coalesce(min(CASE WHEN is_root THEN created END), min(created)))`
    : rootOf(root);

/** A member of scores or metrics: an aggregate over the rows of a trace, and the name of its column. */
interface Member {
  readonly key: string;
  readonly mean: Sql;
  readonly name: Sql;
}

const scoresOf = ({ scores }: Keys): readonly Member[] =>
  [...scores].map((key, index) => ({
    key,
    mean: sql`favg(${numbered('score', index)})`,
    name: numbered('mean_score', index),
  }));

function metricsOf({ metrics }: Keys): readonly Member[] {
  const computed = computedMetrics(manyRows);
  return [...metrics].flatMap((key, index) => {
    const name = numbered('mean_metric', index);
    if (Object.hasOwn(computed, key)) return [{ key, mean: computed[key]!, name }];
    if (knownMetrics.includes(key)) return [];
    const counted = sql`CASE WHEN _counted THEN ${numbered('metric', index)} END`;
    return [{ key, mean: sql`favg(${counted})`, name }];
  });
}

/** SELECT of the rows with the columns that the keys are computed from. */
function spansOf(relation: EventRelation, keys: Keys, root: readonly EventColumn[]): Sql {
  const branches = createBranchColumns(relation);
  const form = (of: string, name: string, as: 'string' | 'number') =>
    branches.field(of, [name]).form(as);
  const facts = () =>
    spanFacts({
      attribute: (name) => form('span_attributes', name, 'string'),
      metric: (name) => form('metrics', name, 'number'),
    });
  const numbers = (of: Members, name: string) =>
    [...keys[of]].flatMap((key, index) =>
      of === 'metrics' && knownMetrics.includes(key)
        ? []
        : [sql`${form(of, key, 'number')} AS ${numbered(name, index)}`],
    );
  const texts = root.filter((name) => eventColumns[name] === 'json');
  const columns = [
    sql`${branches.order('object')} AS object_id`,
    sql`${branches.order('trace')} AS root_span_id`,
    sql`${branches.order('transaction')} AS _xact_id`,
    sql`${branches.order('position')} AS _position`,
    ...[...new Set<EventColumn>(['created', 'is_root', ...root])]
      .filter((name) => !texts.includes(name) && name !== 'root_span_id')
      .map((name) => sql`${narrowColumn(branches, name)} AS ${identifier(name)}`),
    ...(keys.metrics.has('errors') && !texts.includes('error')
      ? [sql`${branches.field('error', []).form('raw')} AS error`]
      : []),
    ...(keys.metrics.size > 0 ? facts() : []),
    ...numbers('scores', 'score'),
    ...numbers('metrics', 'metric'),
    ...texts.map(identifier),
  ];
  const from = texts.length > 0 ? branches.beside(texts.map(identifier)) : branches.from();
  return sql`SELECT ${join(columns)} FROM ${from}`;
}

function narrowColumn(branches: BranchColumns, name: EventColumn): Sql {
  if (name === '_lossless') return branches.order('lossless');
  const value = branches.field(name, []);
  const type = eventColumns[name];
  return value.strings ?? value.form(type === 'timestamp' || type === 'boolean' ? type : 'string');
}

/** Returns null for a column that no expression reads. */
function columnOf(
  name: EventColumn,
  root: readonly EventColumn[],
  members: Readonly<Record<Members, readonly Member[]>>,
): Sql | null {
  if (name === 'object_id' || name === 'root_span_id') return identifier(name);
  if (name === '_xact_id') return sql`_newest[1]`;
  if (name === '_position') return sql`_newest[2]`;
  if (name === 'scores' || name === 'metrics') return objectOf(members[name]);
  if (root.includes(name)) return sql`struct_extract(_root, '${word(name)}')`;
  return name === '_lossless' ? sql`FALSE` : null;
}

/** The members as the JSON text of an object; null without members. */
function objectOf(members: readonly Member[]): Sql | null {
  if (members.length === 0) return null;
  const texts = members.map(
    ({ key, name }) => sql`${`${JSON.stringify(key)}:`} || ${numberText(repeatable(name))}`,
  );
  return sql`'{' || concat_ws(',', ${join(texts)}) || '}'`;
}
