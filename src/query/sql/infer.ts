// `infer`: counts the paths, types and frequent values in the rows of an ordinary query. It reads the rows, not the path lists of
// segments, so the result does not depend on storage.
import { join, numbered, sql, type Sql } from '../../duckdb/sql.js';
import type { InferItem, QueryAst, SelectItem, Step } from '../syntax/ast.js';
import { limits } from '../syntax/limits.js';
import { jsonText, type OutputColumn } from './output.js';

const topValues = 10n;

/** The query whose rows `infer` reads. Returns a query without `infer` unchanged. */
export function rowsRead(ast: QueryAst): QueryAst {
  if (ast.infer === null) return ast;
  const limit = ast.sample === null ? limits.inferredRows : null;
  return { ...ast, infer: null, select: ast.infer.map(selected), limit };
}

const selected = (item: InferItem, index: number): SelectItem =>
  item.kind === 'star'
    ? item
    : { kind: 'expression', expression: item, alias: aliasOf(index), text: '', at: item.at };

/** No field has such a name. */
const aliasOf = (index: number): string => `path ${index}`;

export const inferColumns: readonly OutputColumn[] = [
  { name: 'name', type: 'json', typedAs: 'JSON' },
  { name: 'types', type: 'json', typedAs: 'JSON' },
  { name: 'count', type: 'number', typedAs: 'BIGINT' },
  { name: 'top_values', type: 'json', typedAs: 'JSON' },
];

/** Sorts a path before the paths below it. */
const frequentFirst = sql`n DESC, rtrim(name, ']')`;

/** SELECT of `inferColumns` as `c0`, `c1`, …, most frequent path first. `rows` is the SQL of `rowsRead`, with `columns`. */
export function inferredPaths(
  infer: readonly InferItem[],
  limit: number | null,
  columns: readonly OutputColumn[],
  rows: Sql,
): Sql {
  const lists = columns.map((column, index) => {
    const start = JSON.stringify(startOf(infer, column.name));
    return sql`json_paths(${jsonText(column, numbered('c', index))}, ${start})`;
  });
  // Lists of a path and of one above it have lines in common.
  const lines = sql`list_distinct(string_split(concat_ws(chr(10), ${join(lists)}), chr(10)))`;
  return sql`
    WITH entry AS (SELECT unnest(${lines}) AS entry FROM (${rows})),
    valued AS (SELECT split_part(entry, chr(9), 1) AS name, split_part(entry, chr(9), 2) AS type, nullif(split_part(entry, chr(9), 3), '') AS value, count(*) AS n FROM entry WHERE entry <> '' GROUP BY ALL),
    typed AS (SELECT name, type, sum(n) AS n FROM valued GROUP BY ALL),
    path AS (SELECT name, sum(n) AS n, '{' || string_agg('"' || type || '":' || n, ',' ORDER BY n DESC, type) || '}' AS types FROM typed GROUP BY name ORDER BY ${frequentFirst} LIMIT ${BigInt(limit ?? limits.inferredPaths)}),
    placed AS (SELECT name, value, n, row_number() OVER (PARTITION BY name ORDER BY n DESC, value) AS place FROM valued WHERE value IS NOT NULL AND name IN (SELECT name FROM path)),
    top AS (SELECT name, string_agg('{"value":' || value || ',"count":' || n || '}', ',' ORDER BY place) AS listed FROM placed WHERE place <= ${topValues} GROUP BY name)
    SELECT name AS c0, types AS c1, CAST(n AS DOUBLE) AS c2, '[' || coalesce(listed, '') || ']' AS c3 FROM path LEFT JOIN top USING (name) ORDER BY ${frequentFirst}`;
}

/** The path of the values of a column. */
function startOf(infer: readonly InferItem[], column: string): readonly Step[] {
  const found = infer.find((_, index) => aliasOf(index) === column);
  return found?.kind === 'path' ? found.steps : [column];
}
