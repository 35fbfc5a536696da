// The columns that a query reads from the branches of its relation. Each form of a path is one column `f0`, `f1`, …, which
// every branch computes from its own storage of the path.
import { assertNever } from '../../errors.js';
import { join, sql, word, type Sql } from '../../duckdb/sql.js';
import type { EventRelation } from '../../schema/event-relation.js';
import { selectBranch, type BranchColumn } from './branch-select.js';
import { unionAll, type Scans } from './branch-union.js';
import type { Step } from '../syntax/ast.js';
import { withFeedback } from './feedback.js';
import { pathName, type PathTypes } from '../bind/path-types.js';
import { typeOfPath } from '../bound/column-type.js';
import { fieldOf, orderFields, type Field } from '../bound/fields.js';
import { hasLeaves, storedKinds } from '../value/leaf-form.js';
import {
  formTypes,
  jsonKinds,
  nullOf,
  nullValue,
  scalarKind,
  scalarValue,
  stringsValue,
  transactionValue,
  type ValueForm,
  type Kind,
  type Value,
} from '../value/value.js';

export interface BranchColumns {
  /** Whether some rows print their stored text, digit for digit. */
  readonly isExact: boolean;
  /** The value of a path, with the kinds that it has in the branches. Each form that is used becomes a column. */
  readonly field: (name: string, steps: readonly Step[]) => Value;
  readonly order: (name: keyof typeof orderFields) => Sql;
  /** Parenthesised SELECT of all columns that were used so far, over all branches. */
  readonly from: () => Sql;
  /** As `from`, with `others`, columns of the branches, as the first columns. */
  readonly beside: (others: readonly Sql[]) => Sql;
}

export function createBranchColumns(
  relation: EventRelation,
  scans: Scans = 'apart',
): BranchColumns {
  const columns = new Map<string, BranchColumn>();
  const isExact =
    relation.feedback !== undefined || relation.branches.some(({ hasLossless }) => hasLossless);
  const column = (
    fieldName: string,
    field: Field,
    steps: readonly Step[],
    form: ValueForm | 'stored',
  ): Sql => {
    const key = JSON.stringify([fieldName, steps, form]);
    const known = columns.get(key) ?? { name: `f${columns.size}`, field, steps, form };
    columns.set(key, known);
    return word(known.name);
  };
  const order: BranchColumns['order'] = (name) => column(name, orderFields[name], [], 'stored');
  // Columns are only added. A query names its rows up to three times.
  let from: { readonly count: number; readonly branches: Sql } | null = null;
  return {
    isExact,
    order,
    field: (name, steps) => {
      const field = fieldOf(name);
      if (field === null) return nullValue;
      if (field.type === 'pageKey') return pageKey(steps, order('transaction'), order('position'));
      const kinds = storedKinds(relation, field, steps);
      const content = { kinds, isExact, hasLeaves: hasLeaves(relation, field, steps) };
      return fieldValue(field, steps, content, (form) =>
        column(name, field, field.type === 'json' ? steps : [], form),
      );
    },
    from: () => {
      const count = columns.size;
      if (from?.count !== count)
        from = { count, branches: fromBranches(relation, scans, [...columns.values()]) };
      return from.branches;
    },
    beside: (others) => fromBranches(relation, scans, [...columns.values()], others),
  };
}

interface PathContent {
  readonly kinds: readonly Kind[];
  /** Whether some rows print their stored text, digit for digit. */
  readonly isExact: boolean;
  /** Whether some rows have the values in leaf columns. */
  readonly hasLeaves: boolean;
}

const anything: PathContent = { kinds: jsonKinds, isExact: true, hasLeaves: false };

/** A value with all kinds that the path can have in any storage. Its SQL has the right type, but is never run. */
function declaredField(name: string, steps: readonly Step[]): Value {
  const field = fieldOf(name);
  if (field === null) return nullValue;
  if (field.type === 'pageKey') return pageKey(steps, sql`CAST(NULL AS BIGINT)`, sql`NULL`);
  const value = fieldValue(field, steps, anything, (form) =>
    form === 'stored' ? sql`CAST(NULL AS ${word(storedTypes[field.type])})` : nullOf(form),
  );
  const type = field.type === 'json' ? typeOfPath(name, steps) : null;
  return type === null ? value : { ...value, type };
}

/** As `declaredField`, with the types that the request gives to paths. */
export const declaredFields =
  (types: PathTypes) =>
  (name: string, steps: readonly Step[]): Value => {
    const value = declaredField(name, steps);
    const type = types.get(pathName(name, steps));
    return type === undefined ? value : { ...value, type };
  };

/** The page key of a row version: `p`, 19 digits of the transaction id and 10 of the position, which sorts as these numbers do. */
const pageKeyValue = (id: Sql, position: Sql): Value => ({
  ...scalarValue(
    'string',
    sql`concat('p', CAST(${id} AS VARCHAR), lpad(CAST(${position} AS VARCHAR), 10, '0'))`,
  ),
  sortKeys: [id, position],
});

const pageKey = (steps: readonly Step[], id: Sql, position: Sql): Value =>
  steps.length === 0 ? pageKeyValue(id, position) : nullValue;

function fieldValue(
  field: Field,
  steps: readonly Step[],
  content: PathContent,
  column: (form: ValueForm | 'stored') => Sql,
): Value {
  switch (field.type) {
    case 'json':
      return jsonField(content, column);
    case 'strings':
      return partOfStrings(steps, column);
    case 'string':
    case 'timestamp':
    case 'boolean':
      return steps.length === 0 ? scalarValue(field.type, column('stored')) : nullValue;
    case 'transaction':
      return steps.length === 0 ? transactionValue(column('stored')) : nullValue;
    case 'integer':
    case 'pageKey':
      return nullValue;
    default:
      return assertNever(field.type);
  }
}

/** A path with the same kind in all branches is one typed column. Exact JSON text, which can differ, is a column of its own. */
function jsonField(
  { kinds, isExact, hasLeaves: hasTypedColumns }: PathContent,
  column: (form: ValueForm) => Sql,
): Value {
  const kind = scalarKind({ ...nullValue, kinds });
  const form = (name: ValueForm): Sql =>
    kind === null || (isExact && name === 'json')
      ? column(name === 'tagged' ? 'raw' : name)
      : scalarValue(kind, column(kind)).form(name);
  return { kinds, form, isAtomic: true, hasTypedColumns };
}

function partOfStrings(steps: readonly Step[], column: (form: 'stored') => Sql): Value {
  const [index] = steps;
  if (index === undefined) return stringsValue(column('stored'));
  if (typeof index === 'string' || steps.length > 1) return nullValue;
  const oneBased = index < 0 ? index : index + 1;
  return scalarValue('string', sql`list_extract(${column('stored')}, ${word(oneBased)})`);
}

const storedTypes = {
  string: 'VARCHAR',
  timestamp: 'TIMESTAMP',
  boolean: 'BOOLEAN',
  strings: 'VARCHAR[]',
  json: 'VARCHAR',
  integer: 'BIGINT',
  transaction: 'BIGINT',
  pageKey: 'BIGINT',
} as const satisfies Record<Field['type'], string>;

function fromBranches(
  { branches, feedback }: EventRelation,
  scans: Scans,
  columns: readonly BranchColumn[],
  others: readonly Sql[] = [],
): Sql {
  const readsFeedback = columns.some(({ field }) => field.isFeedback === true);
  const read = readsFeedback ? branches.map((branch) => withFeedback(branch, feedback)) : branches;
  const selects = read.flatMap((branch) => selectBranch(branch, columns, others));
  return sql`(${selects.length === 0 ? selectNothing(columns) : unionAll(selects, scans)})`;
}

function selectNothing(columns: readonly BranchColumn[]): Sql {
  const nulls = columns.map(({ name, field, form }) => {
    const type = form === 'stored' ? storedTypes[field.type] : formTypes[form];
    return sql`CAST(NULL AS ${word(type)}) AS ${word(name)}`;
  });
  return sql`SELECT ${join([...nulls, sql`1 AS one`])} WHERE false`;
}
