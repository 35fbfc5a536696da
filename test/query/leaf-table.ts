// Rows as a segment holds them: beside the event columns, leaf columns that are worked out here with a
// naive walk over the JSON, value by value.
import { LosslessNumber } from 'lossless-json';
import type { JsonValue } from '../../src/json/json.js';
import { parseJson } from '../../src/json/parse.js';
import { isJsonObject, membersOf } from '../../src/json/tree.js';
import { jsonColumns, type JsonColumn } from '../../src/schema/event-columns.js';
import { pathKey, type LeafColumns, type SegmentPaths } from '../../src/schema/event-relation.js';
import { quoted, type FixtureRow } from './fixture-rows.js';

export interface LeafTable {
  readonly name: string;
  readonly paths: SegmentPaths;
  /** The statement that makes the table out of the table `event`. */
  readonly definition: string;
  /** The same rows without their JSON text. */
  readonly narrow: { readonly name: string; readonly definition: string };
}

type LeafType = keyof LeafColumns;

interface LeafValue {
  readonly id: string;
  readonly column: JsonColumn;
  readonly path: readonly string[];
  readonly type: LeafType;
  /** As a literal of SQL. */
  readonly literal: string;
}

const sqlTypes: Readonly<Record<LeafType, string>> = {
  number: 'DOUBLE',
  string: 'VARCHAR',
  boolean: 'BOOLEAN',
  elsewhere: 'BOOLEAN',
};

/** Of these paths the segment only knows that they occur. */
const textPaths = new Set(['["dec"]', '["a key","b"]', '["y"]']);

/** Columns of which not all paths are listed, and one of which nothing is known. */
const incomplete = new Set<JsonColumn>(['metrics']);
const unknown = new Set<JsonColumn>(['span_attributes']);

export function leafTable(name: string, rows: readonly FixtureRow[]): LeafTable {
  const values = rows.flatMap(leafValues);
  const names = columnNames(values);
  const columns = [...new Set(names.values())];
  const tuples = rows.map((row) => {
    const mine = new Map(
      values.flatMap((value) =>
        value.id === row['id'] ? [[names.get(leafKey(value)), value] as const] : [],
      ),
    );
    const cells = columns.map((column) => cell(mine.get(column)));
    return `(${[quoted(row['id']), ...cells].join(', ')})`;
  });
  const list = ['_leaf_id', ...columns].map((column) => `"${column.replaceAll('"', '""')}"`);
  return {
    name,
    paths: pathsOf(values, names),
    definition: `CREATE TABLE ${name} AS SELECT event.*, leaf.* EXCLUDE (_leaf_id) FROM event JOIN (VALUES ${tuples.join(', ')}) AS leaf(${list.join(', ')}) ON _leaf_id = id`,
    narrow: {
      name: `${name}_narrow`,
      definition: `CREATE TABLE ${name}_narrow AS SELECT * EXCLUDE (${jsonColumns.join(', ')}) FROM ${name}`,
    },
  };
}

const cell = (value: LeafValue | undefined): string =>
  value === undefined ? 'NULL' : `CAST(${value.literal} AS ${sqlTypes[value.type]})`;

function leafValues(row: FixtureRow): readonly LeafValue[] {
  return jsonColumns.flatMap((column) => {
    const text = row[column];
    if (typeof text !== 'string') return [];
    const id = String(row['id']);
    return below(parseJson(text), []).map(({ path, type, literal }) => ({
      id,
      column,
      path,
      type,
      literal,
    }));
  });
}

type PathValue = Omit<LeafValue, 'id' | 'column'>;

function below(value: JsonValue, path: readonly string[]): readonly PathValue[] {
  const own = path.length === 0 ? [] : leafOf(value, path);
  if (!isJsonObject(value)) return own;
  return [...own, ...[...membersOf(value)].flatMap(([key, part]) => below(part, [...path, key]))];
}

function leafOf(value: JsonValue, path: readonly string[]): readonly PathValue[] {
  if (value === null) return [];
  if (typeof value === 'boolean') return [{ path, type: 'boolean', literal: String(value) }];
  if (typeof value === 'string' && Buffer.byteLength(value) < 256) {
    return [{ path, type: 'string', literal: quoted(value) }];
  }
  const number = plainNumber(value);
  return number === null
    ? [{ path, type: 'elsewhere', literal: 'true' }]
    : [{ path, type: 'number', literal: String(number) }];
}

/** Null for what a double does not give back digit for digit. */
function plainNumber(value: JsonValue): number | null {
  if (typeof value !== 'number' && !(value instanceof LosslessNumber)) return null;
  const text = value instanceof LosslessNumber ? value.value : String(value);
  const number = Number(text);
  if (!Number.isFinite(number) || String(number) !== text) return null;
  return Number.isInteger(number) && !Number.isSafeInteger(number) ? null : number;
}

const leafKey = ({ column, path, type }: LeafValue): string => JSON.stringify([column, path, type]);

/** Readable, and unique without regard to case. */
function columnNames(values: readonly LeafValue[]): ReadonlyMap<string, string> {
  const kept = values.filter(
    ({ column, path }) => !unknown.has(column) && !textPaths.has(pathKey(path)),
  );
  const keys = new Map(kept.map((value) => [leafKey(value), value]));
  return new Map(
    [...keys].map(([key, { column, path }], index) => [
      key,
      `${[column, ...path].join('/')}~${index}`,
    ]),
  );
}

function pathsOf(values: readonly LeafValue[], names: ReadonlyMap<string, string>): SegmentPaths {
  const known = jsonColumns.filter((column) => !unknown.has(column));
  return Object.fromEntries(
    known.map((column) => {
      const own = values.filter((value) => value.column === column);
      const keys = [...new Set(own.map(({ path }) => pathKey(path)))];
      const leaves = keys.filter((key) => !textPaths.has(key));
      const name = (key: string, type: LeafType) =>
        names.get(JSON.stringify([column, JSON.parse(key), type])) ?? null;
      const leafColumns = (key: string): LeafColumns => ({
        number: name(key, 'number'),
        string: name(key, 'string'),
        boolean: name(key, 'boolean'),
        elsewhere: name(key, 'elsewhere'),
      });
      return [
        column,
        {
          leaves: new Map(leaves.map((key) => [key, leafColumns(key)])),
          textPaths: new Set(keys.filter((key) => textPaths.has(key))),
          complete: !incomplete.has(column),
        },
      ];
    }),
  );
}
