// SQL for `unpivot`: one row per member of an object or element of an array. The first `unpivot` adds the columns `k0` (key), `v0`
// (value) and `o0` (index), the second one `k1`, `v1` and `o1`.
import { numbered, sql, type Sql } from '../../duckdb/sql.js';
import type { BranchColumns } from './branch-columns.js';
import {
  wholeField,
  type BoundExpr,
  type BoundUnpivot,
  type MemberExpr,
} from '../bound/bound-query.js';
import { typeOfMembers } from '../bound/column-type.js';
import { exactText, hasRespelt } from '../value/exact-text.js';
import { evaluate, type Scope } from '../value/evaluate.js';
import { jsonValue, nullOf, scalarValue, type Value } from '../value/value.js';

export interface Members {
  readonly value: (index: number, part: MemberExpr['part']) => Value;
  /** The indexes, which identify and order the rows of one event. */
  readonly places: readonly Sql[];
  /** Expands `rows`, a SELECT of the columns of events. */
  readonly of: (rows: Sql) => Sql;
}

interface Unpivoted {
  readonly key: Value;
  readonly value: Value;
  readonly of: (rows: Sql) => Sql;
}

/** @param scopeOf returns the scope of an expression that can refer to the members of earlier unpivots */
export function createMembers(
  unpivots: readonly BoundUnpivot[],
  columns: BranchColumns,
  scopeOf: (member: Scope['member']) => Scope,
): Members {
  const list: Unpivoted[] = [];
  const value: Members['value'] = (index, part) => memberOf(list[index], part);
  for (const [index, unpivot] of unpivots.entries()) {
    list.push(unpivoted(unpivot, evaluate(unpivot.expression, scopeOf(value)), index, columns));
  }
  return {
    value,
    places: list.map((_, index) => numbered('o', index)),
    of: (rows) => list.reduce((inner, each) => each.of(inner), rows),
  };
}

function memberOf(unpivot: Unpivoted | undefined, part: MemberExpr['part']): Value {
  if (unpivot === undefined) throw new Error('member is not bound');
  return unpivot[part];
}

function unpivoted(
  { of }: BoundUnpivot,
  source: Value,
  index: number,
  columns: BranchColumns,
): Unpivoted {
  const strings = of === 'array' ? source.strings : undefined;
  if (strings !== undefined) return elementsOfStrings(strings, index);
  const text = numbered('m', index);
  const exact = columns.isExact ? { text: numbered('x', index), when: numbered('y', index) } : null;
  const key = numbered('k', index);
  const list = of === 'object' ? membersOf(text) : elementsOf(text);
  const texts = [
    sql`${source.form('raw')} AS ${text}`,
    ...(exact === null ? [] : [exactTexts(columns, source.form('json'), exact)]),
  ].reduce((all, next) => sql`${all}, ${next}`);
  const step = sql`to_json([${of === 'object' ? key : numbered('o', index)}])`;
  return {
    key: scalarValue('string', key),
    value: memberValue(
      numbered('v', index),
      exact === null
        ? null
        : { when: exact.when, text: sql`json_exact(${exact.text}, CAST(${step} AS VARCHAR))` },
    ),
    of: (rows) =>
      sql`(SELECT * FROM (SELECT *, ${list(index)} FROM (SELECT *, ${texts} FROM ${rows})) WHERE ${numbered('v', index)} <> 'null')`,
  };
}

/** JSON whose parts are read exactly, and whether the engine may respell some of its numbers. */
interface Exact {
  readonly text: Sql;
  readonly when: Sql;
}

const exactTexts = (columns: BranchColumns, json: Sql, { text, when }: Exact): Sql =>
  sql`${json} AS ${text}, ${hasRespelt(columns.order('lossless'), json)} AS ${when}`;

/** @param exact the text of the member from JavaScript; null if no row prints its stored text */
function memberValue(text: Sql, exact: Exact | null): Value {
  const value = jsonValue(text);
  if (exact === null) return value;
  const json = exactText(exact.when, text, exact.text);
  return {
    ...value,
    lossless: exact.when,
    form: (name) => (name === 'json' ? json : value.form(name)),
  };
}

const membersOf =
  (text: Sql) =>
  (index: number): Sql =>
    unnested(index, {
      keys: sql`CASE WHEN starts_with(${text}, '{') THEN json_keys(${text}) END`,
      values: sql`CASE WHEN starts_with(${text}, '{') THEN CAST(json_extract(${text}, '$.*') AS VARCHAR[]) END`,
    });

const elementsOf =
  (text: Sql) =>
  (index: number): Sql =>
    unnested(index, {
      keys: null,
      values: sql`CASE WHEN starts_with(${text}, '[') THEN CAST(json_extract(${text}, '$[*]') AS VARCHAR[]) END`,
    });

/** Unnests the lists together: the engine unnests all lists of a SELECT in parallel. */
function unnested(
  index: number,
  { keys, values }: { readonly keys: Sql | null; readonly values: Sql },
): Sql {
  const columns = sql`unnest(${values}) AS ${numbered('v', index)}, unnest(range(len(${values}))) AS ${numbered('o', index)}`;
  return keys === null ? columns : sql`unnest(${keys}) AS ${numbered('k', index)}, ${columns}`;
}

const elementsOfStrings = (list: Sql, index: number): Unpivoted => ({
  key: scalarValue('string', nullOf('string')),
  value: scalarValue('string', numbered('v', index)),
  of: (rows) => sql`(SELECT *, ${unnested(index, { keys: null, values: list })} FROM ${rows})`,
});

/** Values with all kinds that members can have in any storage. Their SQL is never run. */
export function declaredMembers(
  unpivots: readonly BoundUnpivot[],
  scopeOf: (member: Scope['member']) => Scope,
): Scope['member'] {
  const values: Value[] = [];
  const member: Scope['member'] = (index, part) =>
    part === 'key' ? scalarValue('string', nullOf('string')) : (values[index] ?? anything);
  for (const { expression, of } of unpivots) {
    const { strings } = evaluate(expression, scopeOf(member));
    const isStrings = of === 'array' && strings !== undefined;
    values.push(isStrings ? scalarValue('string', nullOf('string')) : memberOfField(expression));
  }
  return member;
}

function memberOfField(expression: BoundExpr): Value {
  const field = wholeField(expression);
  const type = field === null ? null : typeOfMembers(field);
  return type === null ? anything : { ...anything, type };
}

const anything = jsonValue(nullOf('json'));
