// Key paths of a JSON column -> how many rows have a value of each type there.
import type { Connection } from '../../duckdb/connection.js';
import type { Row } from '../../duckdb/rows.js';
import { identifier, join, sql, type Sql } from '../../duckdb/sql.js';
import type { JsonColumn } from '../../schema/event-columns.js';
import { pathKey } from '../../schema/event-relation.js';
import { enginePath, firstCodes, isInexact, longTextBytes, wholeMax } from './leaf-columns.js';
import type { PathCount } from './path-count.js';

/** JSON null is no value. */
export interface PathTypes {
  readonly steps: readonly string[];
  readonly numbers: number;
  readonly strings: number;
  readonly booleans: number;
  /** Arrays and objects. */
  readonly containers: number;
  /** Numbers and strings that a leaf column cannot hold; they are counted as what they are too. */
  readonly unfit: number;
}

/** The types at each of `paths`, in their order. */
export async function readPathTypes(
  connection: Connection,
  rows: Sql,
  column: JsonColumn,
  paths: readonly (readonly string[])[],
): Promise<readonly PathTypes[]> {
  if (paths.length === 0) return [];
  const [counts] = await connection.read(classCounts(rows, column, paths, classes));
  return paths.map((steps, index) => ({ steps, ...toTypes(counts ?? {}, index) }));
}

export interface KnownPaths {
  /** The paths that occur. */
  readonly counts: readonly PathCount[];
  /** The types at each of them. */
  readonly types: readonly PathTypes[];
}

/**
 * What a full inventory would find, at the price of the types alone, when no other paths occur than `paths`; else null.
 * Paths need their parents among them.
 */
export async function readKnownPaths(
  connection: Connection,
  rows: Sql,
  column: JsonColumn,
  paths: readonly (readonly string[])[],
): Promise<KnownPaths | null> {
  const parents = parentsOf(paths);
  const keys = parents.map(
    (_, index) =>
      sql`coalesce(sum(len(keys[${raw(index + 1)}])), 0) AS ${identifier(`keys ${index}`)}`,
  );
  const parentPaths = parents.map(enginePath);
  const [counts = {}] = await connection.read(
    classCounts(rows, column, paths, knownClasses, {
      values: sql`json_keys(${identifier(column)}, ${parentPaths}) AS keys`,
      aggregates: keys,
    }),
  );
  if (!areAll(paths, parents, counts)) return null;
  const found = paths
    .map((steps, index) => ({
      path: { steps, rows: countOf(counts, 'present', index) },
      types: { steps, ...toTypes(counts, index) },
    }))
    .filter(({ path }) => path.rows > 0);
  return { counts: found.map(({ path }) => path), types: found.map(({ types }) => types) };
}

type Steps = readonly string[];

/** Of all paths with others below them; the first is the column itself. */
function parentsOf(paths: readonly Steps[]): readonly Steps[] {
  const parents = new Map(paths.map((steps) => [pathKey(steps.slice(0, -1)), steps.slice(0, -1)]));
  return [...new Map([[pathKey([]), [] as Steps], ...parents]).values()];
}

/** Whether the objects have no more keys than those of the paths. */
function areAll(paths: readonly Steps[], parents: readonly Steps[], counts: Row): boolean {
  const below = new Map<string, number>();
  for (const [index, steps] of paths.entries()) {
    const parent = pathKey(steps.slice(0, -1));
    below.set(parent, (below.get(parent) ?? 0) + countOf(counts, 'present', index));
  }
  return (
    parents.every(
      (steps, index) => Number(counts[`keys ${index}`]) === below.get(pathKey(steps)),
    ) &&
    paths.every(
      (steps, index) => below.has(pathKey(steps)) || countOf(counts, 'openObjects', index) === 0,
    )
  );
}

const countOf = (counts: Row, name: string, index: number): number =>
  Number(counts[`${name} ${index}`] ?? 0);

const raw = (text: string | number): Sql => ({ parts: [String(text)] });

const { quote, array, object, true: isTrue, false: isFalse, null: isNull } = firstCodes;

/**
 * Conditions on the text of a value and its first character. One aggregate each is several times faster than
 * unnesting the values and grouping them.
 */
const classes = {
  values: sql`first <> ${raw(isNull)}`,
  strings: sql`first = ${raw(quote)}`,
  booleans: sql`first IN (${raw(isTrue)}, ${raw(isFalse)})`,
  containers: sql`first IN (${raw(object)}, ${raw(array)})`,
  longStrings: sql`first = ${raw(quote)} AND strlen(value) >= ${raw(longTextBytes)}`,
  unfitNumbers: sql`CASE WHEN first < 60 AND first <> ${raw(quote)}
    THEN inexact OR abs(TRY_CAST(value AS DOUBLE)) > ${raw(wholeMax)} ELSE FALSE END`,
} as const satisfies Record<string, Sql>;

/** JSON null is there, too. */
const knownClasses = {
  ...classes,
  present: sql`first IS NOT NULL`,
  openObjects: sql`first = ${raw(object)} AND value <> '{}'`,
} as const satisfies Record<string, Sql>;

function toTypes(counts: Row, index: number): Omit<PathTypes, 'steps'> {
  const count = (name: keyof typeof classes): number => countOf(counts, name, index);
  const [strings, booleans, containers] = [
    count('strings'),
    count('booleans'),
    count('containers'),
  ];
  return {
    numbers: count('values') - strings - booleans - containers,
    strings,
    booleans,
    containers,
    unfit: count('longStrings') + count('unfitNumbers'),
  };
}

interface MoreCounts {
  /** Columns over each row. */
  readonly values: Sql;
  /** Aggregates over these. */
  readonly aggregates: readonly Sql[];
}

/** One row with a column per path and class, and per further aggregate. */
function classCounts(
  rows: Sql,
  column: JsonColumn,
  paths: readonly Steps[],
  wanted: Readonly<Record<string, Sql>>,
  more: MoreCounts | null = null,
): Sql {
  const values = paths.map((_, index) => {
    const value = sql`parts[${raw(index + 1)}]`;
    return sql`${value} AS ${identifier(`value ${index}`)}, ascii(${value}) AS ${identifier(`first ${index}`)}`;
  });
  const counts = paths.flatMap((_, index) =>
    Object.entries(wanted).map(([name, condition]) => {
      const wantedOf = ofPath(condition, index);
      return sql`count(*) FILTER (${wantedOf}) AS ${identifier(`${name} ${index}`)}`;
    }),
  );
  const ofRow = more === null ? [] : [more.values];
  const parts = sql`CAST(json_extract(${identifier(column)}, ${paths.map(enginePath)}) AS VARCHAR[]) AS parts`;
  return sql`
    SELECT ${join([...counts, ...(more?.aggregates ?? [])])} FROM (
      SELECT * EXCLUDE (parts), ${join(values)} FROM (
        SELECT ${join([parts, sql`${isInexact(column)} AS inexact`, ...ofRow])}
        FROM ${rows} WHERE starts_with(${identifier(column)}, '{')))`;
}

/** The condition, about the columns of the path. */
const ofPath = ({ parts }: Sql, index: number): Sql => ({
  parts: parts.map((part) =>
    typeof part === 'string'
      ? part.replaceAll(/\b(value|first)\b/g, (name) => `"${name} ${index}"`)
      : part,
  ),
});
