// The names of scores and metrics in a relation: from the path lists of segments, or from the keys of the JSON text.
import { identifier, join, limitTo, sql, type Sql } from '../../duckdb/sql.js';
import type { EventBranch, EventRelation } from '../../schema/event-relation.js';

/** The columns whose members are measures of an experiment. */
const measuredColumns = ['scores', 'metrics'] as const;

type MeasuredColumn = (typeof measuredColumns)[number];

/** The list of a segment covers all of its objects, so a long list would add many columns without values. */
export const listedNamesMax = 200;

function listedNames({ paths }: EventBranch, column: MeasuredColumn): readonly string[] | null {
  const listed = paths?.[column];
  if (listed === undefined || !listed.complete) return null;
  const names = [...listed.leaves.keys(), ...listed.textPaths]
    .map((key) => JSON.parse(key) as readonly string[])
    .flatMap(([name, ...below]) => (name === undefined || below.length > 0 ? [] : [name]));
  return names.length > listedNamesMax ? null : names;
}

function namesOf(branch: EventBranch, column: MeasuredColumn): Sql {
  const listed = listedNames(branch, column);
  const stored = identifier(column);
  return listed === null
    ? sql`SELECT ${column} AS kind, unnest(json_keys(${stored})) AS name FROM ${branch.rows} WHERE starts_with(${stored}, '{')`
    : sql`SELECT ${column} AS kind, unnest(CAST(${listed} AS VARCHAR[])) AS name`;
}

/** SELECT of the distinct (kind, name), in order, or of `count` of them. A name may have no value in the relation. */
export const memberNames = ({ branches }: EventRelation, count: number): Sql =>
  sql`SELECT kind, name FROM (SELECT DISTINCT kind, name FROM (${join(
    branches.flatMap((branch) => measuredColumns.map((column) => namesOf(branch, column))),
    ' UNION ALL ',
  )})${limitTo(count)}) ORDER BY kind, name`;
