// Generates the SELECT of one branch. It reads paths from leaf columns where the branch has them, and from JSON text otherwise.
import { emptySql, identifier, join, sql, word, type Sql } from '../../duckdb/sql.js';
import type { EventBranch, LeafColumns } from '../../schema/event-relation.js';
import type { BranchSelect } from './branch-union.js';
import type { Step } from '../syntax/ast.js';
import { orderFields, type Field } from '../bound/fields.js';
import { exactText, hasRespelt } from '../value/exact-text.js';
import { exactValue, extracted, extractedValue } from '../value/json-path.js';
import { elsewhereOf, leafForm, storageOf } from '../value/leaf-form.js';
import { jsonForm, nullOf, type ValueForm } from '../value/value.js';
import { pathLists, type TextPath } from './path-lists.js';

/** A form of a JSON path, or a stored column. */
export interface BranchColumn {
  readonly name: string;
  readonly field: Field;
  readonly steps: readonly Step[];
  readonly form: ValueForm | 'stored';
  /** Whether the SELECT reads only rows whose value is in the leaf columns, if the path has any. */
  readonly isTyped?: boolean;
}

/** The largest number of additional SELECTs per branch. More would cost more scans than they save. */
const maximumSplit = 2;

/**
 * Returns the SELECTs of a branch. Rows with a value outside of the leaf columns have a SELECT of their own, so that the engine
 * can skip the JSON text of row groups without such rows. Inside a CASE it could not.
 */
export function selectBranch(
  branch: EventBranch,
  columns: readonly BranchColumn[],
  others: readonly Sql[],
): readonly BranchSelect[] {
  const marks = elsewhereColumns(branch, columns);
  const isSplit = marks.length > 0 && marks.length <= maximumSplit;
  if (!isSplit) return [selectRows(branch, columns, others, [])];
  const isNot = marks.map((mark) => sql`${mark} IS DISTINCT FROM true`);
  return [
    selectRows(branch, columns.map(typedOnly), others, isNot),
    ...marks.map((mark, index) =>
      selectRows(branch, columns, others, [mark, ...isNot.slice(0, index)]),
    ),
  ];
}

const typedOnly = (column: BranchColumn): BranchColumn => Object.assign({ isTyped: true }, column);

/** The distinct `elsewhere` columns of the paths that are read. */
function elsewhereColumns(branch: EventBranch, columns: readonly BranchColumn[]): readonly Sql[] {
  const names = columns.flatMap(({ field, steps, form }) => {
    const storage = form === 'stored' ? 'text' : storageOf(branch, field, steps);
    return typeof storage === 'string' || storage.elsewhere === null ? [] : [storage.elsewhere];
  });
  return [...new Set(names)].map(identifier);
}

/** A column of the rows from which a branch is selected. */
interface Shared {
  readonly name: Sql;
  readonly definition: Sql;
}

/** For the fields whose paths are read exactly: whether the engine may respell some of their numbers. */
function respeltFields(
  branch: EventBranch,
  columns: readonly BranchColumn[],
): ReadonlyMap<Field, Shared> {
  const fields = columns.filter((column) => isExact(branch, column)).map(({ field }) => field);
  const shared = [...new Set(fields)].map((field, index): readonly [Field, Shared] => {
    const name = word(`x${index}`);
    const definition = sql`${hasRespelt(sql`_lossless`, field.column)} AS ${name}`;
    return [field, { name, definition }];
  });
  return new Map(shared);
}

/** The text of a path that is mentioned more than once, or that a list has, becomes a column, so that it is extracted once. */
function selectRows(
  branch: EventBranch,
  columns: readonly BranchColumn[],
  others: readonly Sql[],
  marks: readonly Sql[],
): BranchSelect {
  const texts = new Map<string, Shared>();
  const lists = pathLists(textPaths(branch, columns));
  for (const path of sharedPaths(branch, columns, lists.texts)) {
    const name = word(`t${texts.size}`);
    const text = lists.texts.get(pathName(path)) ?? sharedText(branch, path);
    texts.set(pathName(path), { name, definition: sql`${text} AS ${name}` });
  }
  const respelt = respeltFields(branch, columns);
  const forms = columns.map((column) => {
    const text = texts.get(pathName(column))?.name ?? null;
    const isRespelt = isExact(branch, column) ? (respelt.get(column.field)?.name ?? null) : null;
    return namedColumn(branch, column, { text, isRespelt });
  });
  const list = [...others, ...forms];
  const definitions = [...texts.values(), ...respelt.values()].map(({ definition }) => definition);
  const isNarrow = others.length === 0 && !columns.some((column) => needsText(branch, column));
  const { from, file, conditions } =
    definitions.length === 0
      ? partsOf(branch, isNarrow, others.length > 0, columns.some(isInputHash))
      : whole(sql`(SELECT *, ${join(definitions)} FROM ${lists.from(branch.rows)})`);
  const all = [...conditions, ...marks];
  return {
    list: list.length === 0 ? sql`1 AS one` : join(list),
    from,
    file,
    where: all.length === 0 ? emptySql : sql` WHERE ${join(all, ' AND ')}`,
    layout: JSON.stringify(columns.map(({ field, steps }) => storageOf(branch, field, steps))),
  };
}

interface ReadRows extends Pick<BranchSelect, 'from' | 'file'> {
  readonly conditions: readonly Sql[];
}

const whole = (from: Sql): ReadRows => ({ from, file: null, conditions: [] });

const isInputHash = ({ field }: BranchColumn): boolean => field === orderFields.inputHash;

function partsOf(
  branch: EventBranch,
  isNarrow: boolean,
  needsAll: boolean,
  needsInputHash: boolean,
): ReadRows {
  const { rows, parts } = branch;
  if (parts?.rows !== rows) return whole(rows);
  if (needsInputHash && parts.lacksInputHash === true) return whole(rows);
  const { files, conditions, metByNarrow = [] } = parts;
  return isNarrow
    ? { from: parts.narrow, file: files?.narrow ?? null, conditions }
    : {
        from: parts.from,
        file: files?.from ?? null,
        conditions: [...conditions, ...metByNarrow],
      };
}

const pathNames = new WeakMap<BranchColumn, string>();

/** Cached, since it is computed for each branch. */
function pathName(column: BranchColumn): string {
  const name = pathNames.get(column) ?? JSON.stringify([column.field.column.parts, column.steps]);
  pathNames.set(column, name);
  return name;
}

const mentionsOnce: ReadonlySet<BranchColumn['form']> = new Set([
  'number',
  'boolean',
  'raw',
  'json',
  'stored',
]);

/** The paths whose values are in the text of their column alone. */
const textPaths = (branch: EventBranch, columns: readonly BranchColumn[]): readonly TextPath[] =>
  columns
    .filter(
      (column) =>
        readsText(branch, column) && storageOf(branch, column.field, column.steps) === 'text',
    )
    .map((column) => ({
      column: column.field.column,
      steps: column.steps,
      name: pathName(column),
    }));

function sharedPaths(
  branch: EventBranch,
  columns: readonly BranchColumn[],
  listed: ReadonlyMap<string, Sql>,
): readonly BranchColumn[] {
  const nested = columns.filter((column) => readsText(branch, column));
  const mentions = new Map<string, BranchColumn[]>();
  for (const column of nested) {
    const path = pathName(column);
    const others = mentions.get(path);
    if (others === undefined) mentions.set(path, [column]);
    else others.push(column);
  }
  return [...mentions.values()].flatMap(([column, ...others]) =>
    column === undefined ||
    (others.length === 0 && isMentionedOnce(branch, column) && !listed.has(pathName(column)))
      ? []
      : [column],
  );
}

const isMentionedOnce = (branch: EventBranch, column: BranchColumn): boolean =>
  mentionsOnce.has(column.form) && !isExact(branch, column);

/** Whether values below the column have to be extracted from its text. */
const readsText = (branch: EventBranch, column: BranchColumn): boolean =>
  column.steps.length > 0 && isInText(branch, column);

function isInText(branch: EventBranch, { field, steps, isTyped }: BranchColumn): boolean {
  const storage = storageOf(branch, field, steps);
  if (typeof storage === 'string') return storage === 'text';
  return isTyped !== true && storage.elsewhere !== null;
}

/** Whether the SELECT reads the JSON column itself. */
const needsText = (branch: EventBranch, column: BranchColumn): boolean =>
  column.field.json !== undefined && isInText(branch, column);

/** Whether the engine may respell numbers of the value. Leaf columns hold only numbers that it does not respell. */
const isExact = (branch: EventBranch, column: BranchColumn): boolean =>
  column.form === 'json' && branch.hasLossless && readsText(branch, column);

function sharedText(branch: EventBranch, { field, steps }: BranchColumn): Sql {
  const text = extractedValue(field.column, steps);
  const storage = storageOf(branch, field, steps);
  return typeof storage === 'string'
    ? text
    : sql`CASE WHEN ${elsewhereOf(storage)} THEN ${text} END`;
}

const namedColumns = new WeakMap<BranchColumn, Map<string, Sql>>();

/** The shared columns of a path that is read from JSON text; null if there are none. */
interface ReadText {
  readonly text: Sql | null;
  readonly isRespelt: Sql | null;
}

/** Cached, since most branches of a relation store a path in the same way. */
function namedColumn(branch: EventBranch, column: BranchColumn, read: ReadText): Sql {
  const known = namedColumns.get(column) ?? new Map<string, Sql>();
  namedColumns.set(column, known);
  const key = JSON.stringify([
    storageOf(branch, column.field, column.steps),
    read.text?.parts,
    read.isRespelt?.parts,
  ]);
  const sqlText = known.get(key) ?? sql`${columnSql(branch, column, read)} AS ${word(column.name)}`;
  known.set(key, sqlText);
  return sqlText;
}

function columnSql(branch: EventBranch, column: BranchColumn, { text, isRespelt }: ReadText): Sql {
  const { field, steps, form, isTyped } = column;
  if (form === 'stored') return field.column;
  const storage = storageOf(branch, field, steps);
  if (storage === 'absent') return nullOf(form);
  const read = () =>
    text !== null && isRespelt !== null
      ? exactText(isRespelt, text, exactValue(field.column, steps))
      : textForm(form, column, text);
  return storage === 'text'
    ? read()
    : typedForm(form, isTyped === true ? exactlyTyped(storage) : storage, read);
}

const exactlyTyped = (leaf: LeafColumns): LeafColumns => ({ ...leaf, elsewhere: null });

const typedForm = (form: ValueForm, leaf: LeafColumns, otherwise: () => Sql): Sql =>
  leaf.elsewhere === null
    ? leafForm(leaf, form)
    : sql`CASE WHEN ${elsewhereOf(leaf)} THEN ${otherwise()} ELSE ${leafForm(leaf, form)} END`;

/** Numbers and booleans are extracted without a test for JSON null, which is neither. */
function textForm(form: ValueForm, { field, steps }: BranchColumn, text: Sql | null): Sql {
  const isPlain = form === 'number' || form === 'boolean';
  const extract = isPlain ? extracted : extractedValue;
  return jsonForm(text ?? extract(field.column, steps), form);
}
