// The value of an expression as SQL. Types are dynamic: a value has a form per SQL type, such as number, string and JSON text, and
// SQL is generated only for forms that are used. No other code casts between kinds of values.
import { sql, word, type Sql } from '../../duckdb/sql.js';
import { assertNever } from '../../errors.js';
import type { ColumnType } from '../bound/column-type.js';
import type { LiteralValue } from '../syntax/ast.js';
import { bindAll, bindOnce, isAtomic } from './share.js';
import { parsedTimestamp, timestampText } from './timestamp-text.js';

/** The kinds that a value can have at run time. A value of no kind is NULL. */
export type Kind = 'boolean' | 'number' | 'string' | 'array' | 'object' | 'timestamp' | 'interval';

export const jsonKinds: readonly Kind[] = ['boolean', 'number', 'string', 'array', 'object'];

/**
 * The forms of a value and their types:
 * - `boolean`, `number` (DOUBLE), `string`, `timestamp`, `interval`: the value if it has that kind, else NULL;
 *   strings in ISO 8601 are also timestamps
 * - `measure`: a number, or a boolean as 0 or 1
 * - `rank`: 1 boolean, 2 number, 3 string, 4 array, 5 object, else NULL
 * - `text`: a string as it is, any other value as JSON text
 * - `json`: exact JSON text, as it is printed
 * - `raw`: JSON text for extraction, in which numbers may be respelled
 * - `tagged`: as `raw`, but with a `T` before the text of a timestamp; a string that spells one has none
 * - `canonical`: JSON text that is equal for equal values
 * - `composite`: the canonical text of an array or object, else NULL
 * - `elements`: the JSON texts of an array's elements or an object's values, VARCHAR[]
 */
export const formTypes = {
  boolean: 'BOOLEAN',
  number: 'DOUBLE',
  string: 'VARCHAR',
  timestamp: 'TIMESTAMP',
  interval: 'INTERVAL',
  measure: 'DOUBLE',
  rank: 'INTEGER',
  text: 'VARCHAR',
  json: 'VARCHAR',
  raw: 'VARCHAR',
  tagged: 'VARCHAR',
  canonical: 'VARCHAR',
  composite: 'VARCHAR',
  elements: 'VARCHAR[]',
} as const;

export type ValueForm = keyof typeof formTypes;

export interface Value {
  readonly kinds: readonly Kind[];
  readonly form: (name: ValueForm) => Sql;
  /** Whether its forms are short SQL, which can be repeated. */
  readonly isAtomic: boolean;
  /** Whether the forms of its kinds are columns, which are cheaper to group by than canonical text. */
  readonly hasTypedColumns?: boolean;
  /** Set for values whose column in a file has a type that does not follow from their kinds. */
  readonly type?: ColumnType;
  /** Set for constants. */
  readonly literal?: LiteralValue;
  /** Set for lists of strings: the list itself, VARCHAR[]. */
  readonly strings?: Sql;
  /** Set for members of JSON text: whether the engine may respell some of their numbers, BOOLEAN. */
  readonly lossless?: Sql;
  /** Set for transaction ids: the id itself, BIGINT. */
  readonly transaction?: Sql;
  /** Set for strings that sort like other columns: these columns. */
  readonly sortKeys?: readonly Sql[];
  /** Set for results of arithmetic: the double, which may be infinite or not a number. */
  readonly unchecked?: Sql;
  /** Set for the least or greatest value in the order of `sort`: the STRUCT that was compared. */
  readonly sortable?: Sql;
}

/** The kind of a value that can have only one kind, if SQL has a type for it; null otherwise. */
export function scalarKind(value: Value): ScalarKind | null {
  const [kind] = value.kinds;
  return value.kinds.length === 1 && isScalar(kind) ? kind : null;
}

export type ScalarKind = 'boolean' | 'number' | 'string' | 'timestamp' | 'interval';

const isScalar = (kind: Kind | undefined): kind is ScalarKind =>
  kind !== undefined && kind !== 'array' && kind !== 'object';

const nulls = {
  BOOLEAN: sql`CAST(NULL AS BOOLEAN)`,
  INTEGER: sql`CAST(NULL AS INTEGER)`,
  DOUBLE: sql`CAST(NULL AS DOUBLE)`,
  VARCHAR: sql`CAST(NULL AS VARCHAR)`,
  TIMESTAMP: sql`CAST(NULL AS TIMESTAMP)`,
  INTERVAL: sql`CAST(NULL AS INTERVAL)`,
  'VARCHAR[]': sql`CAST(NULL AS VARCHAR[])`,
} as const satisfies Record<(typeof formTypes)[ValueForm], Sql>;

export const nullOf = (form: ValueForm): Sql => nulls[formTypes[form]];

export const nullValue: Value = { kinds: [], form: nullOf, isAtomic: true, literal: null };

/** Prints a number, integers without `.0`. The engine may cast before it evaluates the condition, hence TRY_CAST in the fast path. */
export const numberText = (number: Sql): Sql =>
  bindOnce(
    number,
    (x) =>
      sql`CASE WHEN ${x} = trunc(${x}) AND abs(${x}) < 1e18 THEN CAST(TRY_CAST(${x} AS BIGINT) AS VARCHAR) WHEN isfinite(${x}) THEN regexp_replace(CAST(to_json(${x}) AS VARCHAR), '\\.0$', '') END`,
  );

/** As `numberText`, but infinities have a text, too. */
const numberKey = (number: Sql): Sql =>
  bindOnce(
    number,
    (x) =>
      sql`coalesce(${numberText(x)}, CASE WHEN ${x} > 0 THEN '1e999' WHEN ${x} < 0 THEN '-1e999' END)`,
  );

export const stringJson = (text: Sql): Sql => sql`CAST(to_json(${text}) AS VARCHAR)`;

const textOf: Readonly<Record<ScalarKind, (native: Sql) => Sql>> = {
  boolean: (native) => sql`CAST(${native} AS VARCHAR)`,
  number: numberText,
  string: (native) => native,
  timestamp: timestampText,
  interval: () => nullOf('text'),
};

/** The form `rank` of the values of each kind. */
export const ranks: Readonly<Record<Kind, number>> = {
  boolean: 1,
  number: 2,
  string: 3,
  timestamp: 3,
  interval: 3,
  array: 4,
  object: 5,
};

/** A value of one kind, in the SQL type of that kind. */
export function scalarValue(kind: ScalarKind, native: Sql): Value {
  return {
    kinds: [kind],
    form: (form) => scalarForm(kind, native, form),
    isAtomic: isAtomic(native),
  };
}

function scalarForm(kind: ScalarKind, native: Sql, form: ValueForm): Sql {
  if (form === kind) return native;
  switch (form) {
    case 'measure':
      return measureOfScalar(kind, native);
    case 'rank':
      return sql`CASE WHEN ${native} IS NOT NULL THEN ${word(ranks[kind])} END`;
    case 'timestamp':
      return kind === 'string' ? parsedTimestamp(native) : nullOf(form);
    case 'string':
      return kind === 'timestamp' ? timestampText(native) : nullOf(form);
    case 'text':
      return textOf[kind](native);
    case 'json':
    case 'raw':
      return jsonOfScalar(kind, native);
    case 'tagged':
      return kind === 'timestamp'
        ? sql`('T' || ${jsonOfScalar(kind, native)})`
        : jsonOfScalar(kind, native);
    case 'canonical':
      return kind === 'number' ? numberKey(native) : jsonOfScalar(kind, native);
    default:
      return nullOf(form);
  }
}

function measureOfScalar(kind: ScalarKind, native: Sql): Sql {
  if (kind === 'number') return native;
  return kind === 'boolean' ? sql`CAST(${native} AS DOUBLE)` : nullOf('measure');
}

const jsonOfScalar = (kind: ScalarKind, native: Sql): Sql =>
  kind === 'string' || kind === 'timestamp'
    ? stringJson(textOf[kind](native))
    : textOf[kind](native);

/** The engine spells the escapes of control characters in another case than stored text does. */
const mayHaveEscapes = (text: Sql): Sql => sql`contains(${text}, '\\u')`;

const canonicalString = (text: Sql): Sql =>
  sql`CASE WHEN ${mayHaveEscapes(text)} THEN ${stringJson(sql`json_extract_string(${text}, '$')`)} ELSE ${text} END`;

/** The JSON text of an array or object, with escapes as in stored text. */
const storedSpelling = (text: Sql): Sql =>
  sql`CASE WHEN ${mayHaveEscapes(text)} THEN json_exact(${text}, '[]') ELSE ${text} END`;

/** A transaction id: a string of 19 digits. */
export const transactionValue = (id: Sql): Value => ({
  ...scalarValue('string', sql`CAST(${id} AS VARCHAR)`),
  isAtomic: isAtomic(id),
  transaction: id,
});

/** A list of strings, for the columns that hold nothing else. */
export function stringsValue(list: Sql): Value {
  const json = stringJson(list);
  const text = bindOnce(json, storedSpelling);
  const forms: Partial<Record<ValueForm, Sql>> = {
    rank: sql`CASE WHEN ${list} IS NOT NULL THEN ${word(ranks.array)} END`,
    text,
    json,
    raw: json,
    tagged: json,
    canonical: text,
    composite: text,
    elements: sql`list_transform(${list}, lambda x: ${stringJson(sql`x`)})`,
  };
  return {
    kinds: ['array'],
    form: (form) => forms[form] ?? nullOf(form),
    strings: list,
    isAtomic: isAtomic(list),
  };
}

/** The forms of JSON text, which is NULL for absent values and for JSON null. */
export const jsonForm = (text: Sql, form: ValueForm): Sql =>
  bindOnce(text, (name) => formOfText(name, form));

function formOfText(text: Sql, form: ValueForm): Sql {
  switch (form) {
    case 'number':
      return sql`TRY_CAST(${text} AS DOUBLE)`;
    case 'boolean':
      // The engine copies the operand of a CASE to each WHEN.
      return sql`CASE WHEN ${text} = 'true' THEN true WHEN ${text} = 'false' THEN false END`;
    case 'string':
      return sql`CASE WHEN starts_with(${text}, '"') THEN json_extract_string(${text}, '$') END`;
    case 'timestamp':
      return parsedTimestamp(jsonForm(text, 'string'));
    case 'measure':
      return sql`CASE ${text} WHEN 'true' THEN 1 WHEN 'false' THEN 0 ELSE TRY_CAST(${text} AS DOUBLE) END`;
    case 'rank':
      return sql`CASE left(${text}, 1) WHEN '"' THEN 3 WHEN 't' THEN 1 WHEN 'f' THEN 1 WHEN '[' THEN 4 WHEN '{' THEN 5 WHEN '' THEN NULL ELSE CASE WHEN ${text} IS NOT NULL THEN 2 END END`;
    case 'text':
      return sql`CASE left(${text}, 1) WHEN '"' THEN json_extract_string(${text}, '$') WHEN '[' THEN ${storedSpelling(text)} WHEN '{' THEN ${storedSpelling(text)} WHEN 't' THEN ${text} WHEN 'f' THEN ${text} ELSE ${numberText(sql`TRY_CAST(${text} AS DOUBLE)`)} END`;
    case 'canonical':
      return sql`CASE left(${text}, 1) WHEN '"' THEN ${canonicalString(text)} WHEN '[' THEN json_canonical(${text}) WHEN '{' THEN json_canonical(${text}) WHEN 't' THEN ${text} WHEN 'f' THEN ${text} ELSE ${numberKey(sql`TRY_CAST(${text} AS DOUBLE)`)} END`;
    case 'composite':
      return sql`CASE left(${text}, 1) WHEN '[' THEN json_canonical(${text}) WHEN '{' THEN json_canonical(${text}) END`;
    case 'elements':
      return sql`CASE left(${text}, 1) WHEN '[' THEN CAST(json_extract(${text}, '$[*]') AS VARCHAR[]) WHEN '{' THEN CAST(json_extract(${text}, '$.*') AS VARCHAR[]) END`;
    case 'json':
    case 'raw':
    case 'tagged':
      return text;
    case 'interval':
      return nullOf(form);
    default:
      return assertNever(form);
  }
}

/** A value of any kind, from its JSON text. */
export const jsonValue = (text: Sql): Value => ({
  kinds: jsonKinds,
  form: (form) => jsonForm(text, form),
  isAtomic: isAtomic(text),
});

/** A value of any kind, from its canonical JSON text: for group keys and constants. */
export const canonicalValue = (text: Sql, kinds: readonly Kind[] = jsonKinds): Value => ({
  kinds,
  form: (form) => (form === 'canonical' ? text : jsonForm(text, form)),
  isAtomic: isAtomic(text),
});

/** Returns the SQL of `body`, in which the value is computed once. */
export const shared = (value: Value, body: (value: Value) => Sql): Sql =>
  sharedAll([value], ([only = value]) => body(only));

/** Returns the SQL of `body`, in which each value is computed once. */
export function sharedAll(values: readonly Value[], body: (values: readonly Value[]) => Sql): Sql {
  const others = values.filter((value) => !value.isAtomic);
  return bindAll(others.map(wholeForm), (names) => {
    const named = new Map(others.map((each, index) => [each, namedValue(each, names[index]!)]));
    return body(values.map((value) => named.get(value) ?? value));
  });
}

/** Whether the value can be a timestamp, and can be of another kind. */
const mayBeTagged = (value: Value): boolean =>
  value.kinds.includes('timestamp') && scalarKind(value) === null;

/** The form from which all others follow, except for how numbers are spelled. */
const wholeForm = (value: Value): Sql =>
  mayBeTagged(value) ? value.form('tagged') : presence(value);

/** The value whose `wholeForm` has this name. */
function namedValue(value: Value, name: Sql): Value {
  const { kinds } = value;
  const kind = scalarKind(value);
  if (kind !== null) return scalarValue(kind, name);
  if (!mayBeTagged(value)) return { ...jsonValue(name), kinds };
  // No JSON text begins with a T.
  const { form } = jsonValue(sql`ltrim(${name}, 'T')`);
  return { kinds, isAtomic: true, form: (each) => (each === 'tagged' ? name : form(each)) };
}

/** The cheapest form that is NULL if and only if the value is. */
export const presence = (value: Value): Sql => value.form(scalarKind(value) ?? 'raw');

export const unionOfKinds = (values: readonly Value[]): readonly Kind[] => [
  ...new Set(values.flatMap((value) => value.kinds)),
];

/** `otherwise` also if the condition is NULL. */
export const choice = (condition: Sql, whenTrue: Value, otherwise: Value): Value => ({
  kinds: unionOfKinds([whenTrue, otherwise]),
  form: (name) =>
    sql`CASE WHEN ${condition} THEN ${whenTrue.form(name)} ELSE ${otherwise.form(name)} END`,
  isAtomic: false,
});

/**
 * A STRUCT that compares in the order of `sort`; NULL for a value that is NULL. A number beyond doubles, which is infinite as a
 * measure, has its JSON text.
 */
export const sortable = (value: Value): Sql =>
  value.sortable ??
  shared(
    value,
    (v) =>
      sql`CASE WHEN ${v.form('rank')} IS NOT NULL THEN {rank: ${v.form('rank')}, measure: ${v.form('measure')}, text: CASE WHEN ${v.form('rank')} = 2 THEN CASE WHEN isinf(${v.form('measure')}) THEN ${v.form('raw')} END ELSE ${sortText(v)} END} END`,
  );

/** The text by which values of the same rank sort, if they are not numbers. */
export const sortText = (value: Value): Sql =>
  shared(
    value,
    (v) =>
      sql`CASE WHEN ${v.form('rank')} = 3 THEN ${v.form('string')} WHEN ${v.form('rank')} > 3 THEN ${v.form('canonical')} END`,
  );

/** The value of a STRUCT from `sortable`. */
export function sortableValue(struct: Sql, kinds: readonly Kind[]): Value {
  const text = bindOnce(
    struct,
    (s) =>
      sql`CASE ${s}.rank WHEN 1 THEN CAST(${s}.measure = 1 AS VARCHAR) WHEN 2 THEN coalesce(${s}.text, ${numberText(sql`${s}.measure`)}) WHEN 3 THEN ${stringJson(sql`${s}.text`)} ELSE ${s}.text END`,
  );
  return { ...jsonValue(text), kinds, sortable: struct };
}
