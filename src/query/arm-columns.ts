// The columns that a query reads from the arms of its relation: each facet of a path that it asks for is
// one column `f0`, `f1`, …, which every arm computes from the way it stores the path.
import { assertNever } from '../errors.js';
import { join, sql, type Sql } from '../duckdb/sql.js';
import type { EventArm, EventRelation } from '../schema/event-relation.js';
import type { Step } from './ast.js';
import { fields, orderFields, type Field } from './fields.js';
import { exactValue, extracted, extractedValue } from './json-path.js';
import {
  facetTypes,
  jsonFacet,
  jsonKinds,
  nullValue,
  scalarValue,
  stringsValue,
  type Facet,
  type Value,
} from './value.js';

/** A facet of a JSON path, or a column that is stored as it is used. */
interface ArmColumn {
  readonly name: string;
  readonly field: Field;
  readonly steps: readonly Step[];
  readonly facet: Facet | 'stored';
}

export interface ArmColumns {
  /** The value of a path; the facets it is asked for become columns. */
  readonly field: (name: string, steps: readonly Step[]) => Value;
  readonly order: (name: keyof typeof orderFields) => Sql;
  /** Parenthesised SELECT of the columns asked for so far, over all arms. */
  readonly from: (relation: EventRelation) => Sql;
  /** Parenthesised SELECT of all columns of one arm, and of those asked for so far. */
  readonly beside: (arm: EventArm) => Sql;
}

export function createArmColumns(): ArmColumns {
  const columns = new Map<string, ArmColumn>();
  const column = (
    fieldName: string,
    field: Field,
    steps: readonly Step[],
    facet: Facet | 'stored',
  ): Sql => {
    const key = JSON.stringify([fieldName, steps, facet]);
    const known = columns.get(key) ?? { name: `f${columns.size}`, field, steps, facet };
    columns.set(key, known);
    return raw(known.name);
  };
  return {
    field: (name, steps) => {
      const field = fields[name];
      if (field === undefined) return nullValue;
      return fieldValue(field, steps, (facet) =>
        column(name, field, field.type === 'json' ? steps : [], facet),
      );
    },
    order: (name) => column(name, orderFields[name], [], 'stored'),
    from: (relation) => fromArms(relation, [...columns.values()]),
    beside: (arm) => sql`(${selectArm(arm, [...columns.values()], [raw('*')])})`,
  };
}

const raw = (text: string): Sql => ({ parts: [text] });

function fieldValue(
  field: Field,
  steps: readonly Step[],
  column: (facet: Facet | 'stored') => Sql,
): Value {
  switch (field.type) {
    case 'json':
      return { kinds: jsonKinds, facet: column, isAtomic: true };
    case 'strings':
      return partOfStrings(steps, column);
    case 'string':
    case 'timestamp':
    case 'boolean':
      return steps.length === 0 ? scalarValue(field.type, column('stored')) : nullValue;
    case 'integer':
      return nullValue;
    default:
      return assertNever(field.type);
  }
}

function partOfStrings(steps: readonly Step[], column: (facet: 'stored') => Sql): Value {
  const [index] = steps;
  if (index === undefined) return stringsValue(column('stored'));
  if (typeof index === 'string' || steps.length > 1) return nullValue;
  const place = index < 0 ? index : index + 1;
  return scalarValue('string', sql`list_extract(${column('stored')}, ${raw(String(place))})`);
}

const storedTypes = {
  string: 'VARCHAR',
  timestamp: 'TIMESTAMP',
  boolean: 'BOOLEAN',
  strings: 'VARCHAR[]',
  json: 'VARCHAR',
  integer: 'BIGINT',
} as const satisfies Record<Field['type'], string>;

function fromArms(relation: EventRelation, columns: readonly ArmColumn[]): Sql {
  const arms = relation.arms.map((arm) => selectArm(arm, columns));
  return sql`(${arms.length === 0 ? selectNothing(columns) : join(arms, ' UNION ALL ')})`;
}

function selectNothing(columns: readonly ArmColumn[]): Sql {
  const nulls = columns.map(({ name, field, facet }) => {
    const type = facet === 'stored' ? storedTypes[field.type] : facetTypes[facet];
    return raw(`CAST(NULL AS ${type}) AS ${name}`);
  });
  return sql`SELECT ${join([...nulls, raw('1 AS one')])} WHERE false`;
}

/** Paths whose text is mentioned more than once get a column, so that they are extracted once. */
function selectArm(arm: EventArm, columns: readonly ArmColumn[], others: readonly Sql[] = []): Sql {
  const texts = new Map<string, { readonly name: Sql; readonly definition: Sql }>();
  for (const path of sharedPaths(columns)) {
    const name = raw(`t${texts.size}`);
    const definition = sql`${extractedValue(path.field.column, path.steps)} AS ${name}`;
    texts.set(pathKey(path), { name, definition });
  }
  const facets = columns.map((column) => {
    const text = texts.get(pathKey(column))?.name ?? null;
    return sql`${columnSql(arm, column, text)} AS ${raw(column.name)}`;
  });
  const list = [...others, ...facets];
  const definitions = [...texts.values()].map(({ definition }) => definition);
  const rows =
    definitions.length === 0 ? arm.rows : sql`(SELECT *, ${join(definitions)} FROM ${arm.rows})`;
  return sql`SELECT ${list.length === 0 ? raw('1 AS one') : join(list)} FROM ${rows}`;
}

const pathKey = ({ field, steps }: ArmColumn): string =>
  JSON.stringify([field.column.parts, steps]);

const mentionsOnce: ReadonlySet<ArmColumn['facet']> = new Set([
  'number',
  'boolean',
  'raw',
  'json',
  'stored',
]);

function sharedPaths(columns: readonly ArmColumn[]): readonly ArmColumn[] {
  const nested = columns.filter(({ steps }) => steps.length > 0);
  const count = (path: string) => nested.filter((column) => pathKey(column) === path).length;
  const shared = nested.filter(
    (column) => !mentionsOnce.has(column.facet) || count(pathKey(column)) > 1,
  );
  return [...new Map(shared.map((column) => [pathKey(column), column])).values()];
}

function columnSql(arm: EventArm, column: ArmColumn, sharedText: Sql | null): Sql {
  const { field, steps, facet } = column;
  if (facet === 'stored') return field.column;
  const text = sharedText ?? textFor(facet, field, steps);
  if (facet === 'json' && steps.length > 0 && arm.hasLossless) {
    return sql`CASE WHEN _lossless THEN ${exactValue(field.column, steps)} ELSE ${text} END`;
  }
  return jsonFacet(text, facet);
}

/** JSON null is no number and no boolean anyway. */
const textFor = (facet: Facet, field: Field, steps: readonly Step[]): Sql =>
  facet === 'number' || facet === 'boolean'
    ? extracted(field.column, steps)
    : extractedValue(field.column, steps);
