// Generates the SELECT of one arm. It reads paths from leaf columns where the arm has them, and from JSON text otherwise.
import { emptySql, identifier, join, sql, word, type Sql } from '../../duckdb/sql.js';
import type { EventArm, LeafColumns } from '../../schema/event-relation.js';
import type { ArmSelect } from './arm-union.js';
import type { Step } from '../syntax/ast.js';
import { orderFields, type Field } from '../bound/fields.js';
import { exactText, hasRespelt } from '../value/exact-text.js';
import { exactValue, extracted, extractedValue } from '../value/json-path.js';
import { elsewhereOf, leafFacet, storageOf } from '../value/leaf-facet.js';
import { jsonFacet, nullOf, type Facet } from '../value/value.js';
import { pathLists, type TextPath } from './path-lists.js';

/** A facet of a JSON path, or a stored column. */
export interface ArmColumn {
  readonly name: string;
  readonly field: Field;
  readonly steps: readonly Step[];
  readonly facet: Facet | 'stored';
  /** Whether the SELECT reads only rows whose value is in the leaf columns, if the path has any. */
  readonly isTyped?: boolean;
}

/** The largest number of additional SELECTs per arm. More would cost more scans than they save. */
const maximumSplit = 2;

/**
 * Returns the SELECTs of an arm. Rows with a value outside of the leaf columns have a SELECT of their own, so that the engine
 * can skip the JSON text of row groups without such rows. Inside a CASE it could not.
 */
export function selectArm(
  arm: EventArm,
  columns: readonly ArmColumn[],
  others: readonly Sql[],
): readonly ArmSelect[] {
  const marks = elsewhereColumns(arm, columns);
  const isSplit = marks.length > 0 && marks.length <= maximumSplit;
  if (!isSplit) return [selectRows(arm, columns, others, [])];
  const isNot = marks.map((mark) => sql`${mark} IS DISTINCT FROM true`);
  return [
    selectRows(arm, columns.map(typedOnly), others, isNot),
    ...marks.map((mark, index) =>
      selectRows(arm, columns, others, [mark, ...isNot.slice(0, index)]),
    ),
  ];
}

const typedOnly = (column: ArmColumn): ArmColumn => Object.assign({ isTyped: true }, column);

/** The distinct `elsewhere` columns of the paths that are read. */
function elsewhereColumns(arm: EventArm, columns: readonly ArmColumn[]): readonly Sql[] {
  const names = columns.flatMap(({ field, steps, facet }) => {
    const storage = facet === 'stored' ? 'text' : storageOf(arm, field, steps);
    return typeof storage === 'string' || storage.elsewhere === null ? [] : [storage.elsewhere];
  });
  return [...new Set(names)].map(identifier);
}

/** A column of the rows from which an arm is selected. */
interface Shared {
  readonly name: Sql;
  readonly definition: Sql;
}

/** For the fields whose paths are read exactly: whether the engine may respell some of their numbers. */
function respeltFields(arm: EventArm, columns: readonly ArmColumn[]): ReadonlyMap<Field, Shared> {
  const fields = columns.filter((column) => isExact(arm, column)).map(({ field }) => field);
  const shared = [...new Set(fields)].map((field, index): readonly [Field, Shared] => {
    const name = word(`x${index}`);
    const definition = sql`${hasRespelt(sql`_lossless`, field.column)} AS ${name}`;
    return [field, { name, definition }];
  });
  return new Map(shared);
}

/** The text of a path that is mentioned more than once, or that a list has, becomes a column, so that it is extracted once. */
function selectRows(
  arm: EventArm,
  columns: readonly ArmColumn[],
  others: readonly Sql[],
  marks: readonly Sql[],
): ArmSelect {
  const texts = new Map<string, Shared>();
  const lists = pathLists(textPaths(arm, columns));
  for (const path of sharedPaths(arm, columns, lists.texts)) {
    const name = word(`t${texts.size}`);
    const text = lists.texts.get(pathName(path)) ?? sharedText(arm, path);
    texts.set(pathName(path), { name, definition: sql`${text} AS ${name}` });
  }
  const respelt = respeltFields(arm, columns);
  const facets = columns.map((column) => {
    const text = texts.get(pathName(column))?.name ?? null;
    const isRespelt = isExact(arm, column) ? (respelt.get(column.field)?.name ?? null) : null;
    return namedColumn(arm, column, { text, isRespelt });
  });
  const list = [...others, ...facets];
  const definitions = [...texts.values(), ...respelt.values()].map(({ definition }) => definition);
  const isNarrow = others.length === 0 && !columns.some((column) => needsText(arm, column));
  const { from, file, conditions } =
    definitions.length === 0
      ? partsOf(arm, isNarrow, others.length > 0, columns.some(isInputHash))
      : whole(sql`(SELECT *, ${join(definitions)} FROM ${lists.from(arm.rows)})`);
  const all = [...conditions, ...marks];
  return {
    list: list.length === 0 ? sql`1 AS one` : join(list),
    from,
    file,
    where: all.length === 0 ? emptySql : sql` WHERE ${join(all, ' AND ')}`,
    layout: JSON.stringify(columns.map(({ field, steps }) => storageOf(arm, field, steps))),
  };
}

interface ReadRows extends Pick<ArmSelect, 'from' | 'file'> {
  readonly conditions: readonly Sql[];
}

const whole = (from: Sql): ReadRows => ({ from, file: null, conditions: [] });

const isInputHash = ({ field }: ArmColumn): boolean => field === orderFields.inputHash;

function partsOf(
  arm: EventArm,
  isNarrow: boolean,
  needsAll: boolean,
  needsInputHash: boolean,
): ReadRows {
  const { rows, parts } = arm;
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

const pathNames = new WeakMap<ArmColumn, string>();

/** Cached, since it is computed for each arm. */
function pathName(column: ArmColumn): string {
  const name = pathNames.get(column) ?? JSON.stringify([column.field.column.parts, column.steps]);
  pathNames.set(column, name);
  return name;
}

const mentionsOnce: ReadonlySet<ArmColumn['facet']> = new Set([
  'number',
  'boolean',
  'raw',
  'json',
  'stored',
]);

/** The paths whose values are in the text of their column alone. */
const textPaths = (arm: EventArm, columns: readonly ArmColumn[]): readonly TextPath[] =>
  columns
    .filter(
      (column) => readsText(arm, column) && storageOf(arm, column.field, column.steps) === 'text',
    )
    .map((column) => ({
      column: column.field.column,
      steps: column.steps,
      name: pathName(column),
    }));

function sharedPaths(
  arm: EventArm,
  columns: readonly ArmColumn[],
  listed: ReadonlyMap<string, Sql>,
): readonly ArmColumn[] {
  const nested = columns.filter((column) => readsText(arm, column));
  const mentions = new Map<string, ArmColumn[]>();
  for (const column of nested) {
    const path = pathName(column);
    const others = mentions.get(path);
    if (others === undefined) mentions.set(path, [column]);
    else others.push(column);
  }
  return [...mentions.values()].flatMap(([column, ...others]) =>
    column === undefined ||
    (others.length === 0 && isMentionedOnce(arm, column) && !listed.has(pathName(column)))
      ? []
      : [column],
  );
}

const isMentionedOnce = (arm: EventArm, column: ArmColumn): boolean =>
  mentionsOnce.has(column.facet) && !isExact(arm, column);

/** Whether values below the column have to be extracted from its text. */
const readsText = (arm: EventArm, column: ArmColumn): boolean =>
  column.steps.length > 0 && isInText(arm, column);

function isInText(arm: EventArm, { field, steps, isTyped }: ArmColumn): boolean {
  const storage = storageOf(arm, field, steps);
  if (typeof storage === 'string') return storage === 'text';
  return isTyped !== true && storage.elsewhere !== null;
}

/** Whether the SELECT reads the JSON column itself. */
const needsText = (arm: EventArm, column: ArmColumn): boolean =>
  column.field.json !== undefined && isInText(arm, column);

/** Whether the engine may respell numbers of the value. Leaf columns hold only numbers that it does not respell. */
const isExact = (arm: EventArm, column: ArmColumn): boolean =>
  column.facet === 'json' && arm.hasLossless && readsText(arm, column);

function sharedText(arm: EventArm, { field, steps }: ArmColumn): Sql {
  const text = extractedValue(field.column, steps);
  const storage = storageOf(arm, field, steps);
  return typeof storage === 'string'
    ? text
    : sql`CASE WHEN ${elsewhereOf(storage)} THEN ${text} END`;
}

const namedColumns = new WeakMap<ArmColumn, Map<string, Sql>>();

/** The shared columns of a path that is read from JSON text; null if there are none. */
interface ReadText {
  readonly text: Sql | null;
  readonly isRespelt: Sql | null;
}

/** Cached, since most arms of a relation store a path in the same way. */
function namedColumn(arm: EventArm, column: ArmColumn, read: ReadText): Sql {
  const known = namedColumns.get(column) ?? new Map<string, Sql>();
  namedColumns.set(column, known);
  const key = JSON.stringify([
    storageOf(arm, column.field, column.steps),
    read.text?.parts,
    read.isRespelt?.parts,
  ]);
  const sqlText = known.get(key) ?? sql`${columnSql(arm, column, read)} AS ${word(column.name)}`;
  known.set(key, sqlText);
  return sqlText;
}

function columnSql(arm: EventArm, column: ArmColumn, { text, isRespelt }: ReadText): Sql {
  const { field, steps, facet, isTyped } = column;
  if (facet === 'stored') return field.column;
  const storage = storageOf(arm, field, steps);
  if (storage === 'absent') return nullOf(facet);
  const read = () =>
    text !== null && isRespelt !== null
      ? exactText(isRespelt, text, exactValue(field.column, steps))
      : textFacet(facet, column, text);
  return storage === 'text'
    ? read()
    : typedFacet(facet, isTyped === true ? exactlyTyped(storage) : storage, read);
}

const exactlyTyped = (leaf: LeafColumns): LeafColumns => ({ ...leaf, elsewhere: null });

const typedFacet = (facet: Facet, leaf: LeafColumns, otherwise: () => Sql): Sql =>
  leaf.elsewhere === null
    ? leafFacet(leaf, facet)
    : sql`CASE WHEN ${elsewhereOf(leaf)} THEN ${otherwise()} ELSE ${leafFacet(leaf, facet)} END`;

/** Numbers and booleans are extracted without a test for JSON null, which is neither. */
function textFacet(facet: Facet, { field, steps }: ArmColumn, text: Sql | null): Sql {
  const isPlain = facet === 'number' || facet === 'boolean';
  const extract = isPlain ? extracted : extractedValue;
  return jsonFacet(text ?? extract(field.column, steps), facet);
}
