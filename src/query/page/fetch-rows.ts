// The rows of a relation that pass the filters of a fetch.
import { identifier, join, sql, type Sql } from '../../duckdb/sql.js';
import type { JsonValue } from '../../json/json.js';
import { eventColumns, type EventColumn } from '../../schema/event-columns.js';
import type { EventBranch, EventRelation } from '../../schema/event-relation.js';
import { createBranchColumns } from '../sql/branch-columns.js';
import { compare } from '../value/comparison.js';
import { fieldOf } from '../bound/fields.js';
import type { CursorPosition } from '../cursor/page-cursor.js';
import { jsonLiteral, literalValue } from '../value/literal-value.js';
import { isNull } from '../value/operators.js';
import { nullValue } from '../value/value.js';

/** Passes events whose value at `path` equals `value` as JSON. An absent value equals null. */
export interface PathFilter {
  readonly path: readonly string[];
  readonly value: JsonValue;
}

const allColumns = Object.keys(eventColumns) as readonly EventColumn[];

/** The columns of a page position and of the condition for deleted rows. */
export const keyColumns = ['object_id', 'id', '_xact_id', 'root_span_id', '_position'] as const;

/** Applies the filters to a branch. Each condition is over forms that the branch computes in addition to its columns. */
function filterBranch(
  branch: EventBranch,
  filters: readonly PathFilter[],
  list: readonly Sql[],
): Sql {
  const columns = createBranchColumns({ branches: [branch] });
  const conditions = filters.map(({ path, value }) => {
    const [field = '', ...steps] = path;
    const found = fieldOf(field) === null ? nullValue : columns.field(field, steps);
    const literal = jsonLiteral(value);
    const test = literal === null ? isNull(found) : compare('=', found, literalValue(literal));
    return test.form('boolean');
  });
  if (conditions.length === 0) return sql`SELECT * FROM ${columns.beside(list)}`;
  return sql`SELECT ${join(list)} FROM ${columns.beside(list)} WHERE ${join(conditions, ' AND ')}`;
}

/**
 * Parenthesised SELECT of `columns` of the rows that pass all filters.
 * @param excluded a SELECT of (object_id, id) of rows to omit; `columns` must then include both
 */
export function fetchRows(
  relation: EventRelation,
  filters: readonly PathFilter[],
  excluded: Sql | null,
  columns: readonly EventColumn[] = allColumns,
): Sql {
  const list = columns.map(identifier);
  const rows = sql`(${join(
    relation.branches.map((branch) => filterBranch(branch, filters, list)),
    ' UNION ALL ',
  )})`;
  return excluded === null
    ? rows
    : sql`(SELECT * FROM ${rows} ANTI JOIN ${excluded} USING (object_id, id))`;
}

/** SELECT of the `root_span_id` of the row at a position. */
export const traceAt = (
  relation: EventRelation,
  { xactId, position }: Pick<CursorPosition, 'xactId' | 'position'>,
): Sql =>
  sql`SELECT root_span_id FROM ${fetchRows(relation, [], null, keyColumns)} WHERE _xact_id = ${xactId} AND _position = ${position}`;
