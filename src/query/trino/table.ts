// The Iceberg table of a project, as queries read it: the columns of events, and a column for each path whose values have one type.
import { identifier, join, sql, type Sql } from '../../duckdb/sql.js';
import type { EventColumn } from '../../schema/event-columns.js';
import { pathStorage, type PathStorage, type SegmentPaths } from '../../schema/event-relation.js';
import { fieldOf } from '../bound/fields.js';
import type { Step } from '../syntax/ast.js';
import { decline } from './statement.js';
import { nullValue, valueOf, type Kind, type TrinoValue } from './value.js';

export interface TrinoTable {
  /** What a FROM clause has of it. */
  readonly from: Sql;
  /** What each segment of the table has of each path, with the names of the table's columns; null where that is unknown. */
  readonly segments: readonly (SegmentPaths | null)[];
}

/** A snapshot of a table. Trino refuses the version as an integer of 32 bits. */
export const tableAt = (names: readonly string[], snapshot: number): Sql =>
  sql`${join(names.map(identifier), '.')} FOR VERSION AS OF BIGINT ${String(snapshot)}`;

const scalarKinds = {
  string: 'string',
  timestamp: 'timestamp',
  boolean: 'boolean',
  strings: 'strings',
  json: 'json',
} as const satisfies Record<string, Kind>;

/** @throws Declined for a field that the table lacks, and for a path that is not one column in all segments */
export function fieldIn(table: TrinoTable, name: string, steps: readonly Step[]): TrinoValue {
  const field = fieldOf(name);
  if (field === null) return nullValue;
  const { type, column, json, isFeedback } = field;
  if (type === 'pageKey' || type === 'integer' || isFeedback === true || name === '_object_delete')
    return decline(`the field ${name}`);
  if (steps.length > 0)
    return json === undefined
      ? decline('an element of a list')
      : pathIn(table.segments.map((paths) => pathStorage(paths, json, steps)));
  // Texts of 19 digits compare as the numbers do.
  if (type === 'transaction') return valueOf('string', sql`CAST(${column} AS varchar)`);
  return valueOf(scalarKinds[type], column);
}

const typed = ['number', 'string', 'boolean'] as const;

function pathIn(storages: readonly PathStorage[]): TrinoValue {
  const columns = new Map<string, Kind>();
  for (const storage of storages) {
    if (storage === 'absent') continue;
    if (storage === 'text') return decline('a path in JSON text');
    if (storage.elsewhere !== null) return decline('a path with values that no column holds');
    for (const kind of typed) {
      const column = storage[kind];
      if (column !== null) columns.set(`${kind} ${column}`, kind);
    }
  }
  const [only, ...others] = columns;
  if (only === undefined) return nullValue;
  if (others.length > 0) return decline('a path with values of several types');
  const [key, kind] = only;
  const column = key.slice(kind.length + 1);
  // Trino folds the case of names, of letters beyond ASCII by its own rules.
  if (!/^[ -~]+$/.test(column)) return decline('a path with letters beyond ASCII');
  return valueOf(kind, identifier(column));
}

/** The columns of events that order rows. */
export const pageOrder: readonly EventColumn[] = ['_xact_id', 'root_span_id', '_position'];
