// SQL fragments as values. User input can enter a statement only as a parameter or a quoted identifier: fragments are instances of
// a class that only this module can create, so no parsed or received value is one.

export type SqlValue = string | number | bigint | boolean | null | readonly (string | null)[];

type Part = string | { readonly value: SqlValue };

class Sql {
  readonly parts: readonly Part[];
  /** A private field, which no object from elsewhere has, whatever its keys and its prototype. */
  readonly #made = true;

  constructor(parts: readonly Part[]) {
    this.parts = parts;
  }

  static isMade(value: unknown): value is Sql {
    return typeof value === 'object' && value !== null && #made in value && value.#made;
  }
}

export type { Sql };

/** A statement as plain data, which can be posted to another thread. */
export interface Statement {
  /** Text with placeholders `$1`, `$2`, … */
  readonly text: string;
  readonly values: readonly SqlValue[];
}

const scalars: ReadonlySet<string> = new Set(['string', 'number', 'bigint', 'boolean']);

const isSqlValue = (value: unknown): value is SqlValue =>
  value === null ||
  scalars.has(typeof value) ||
  (Array.isArray(value) && value.every((item) => item === null || typeof item === 'string'));

const describe = (value: unknown): string =>
  Array.isArray(value)
    ? 'an array of other things than strings'
    : `a value of type ${typeof value}`;

function partsOf(fragment: Sql): readonly Part[] {
  if (!Sql.isMade(fragment))
    throw new TypeError(`SQL: expected a fragment, got ${describe(fragment)}`);
  return fragment.parts;
}

/**
 * Template tag: an interpolated fragment is spliced in, any other value becomes a parameter.
 * @throws TypeError for a value that is neither
 */
export function sql(strings: TemplateStringsArray, ...holes: readonly (Sql | SqlValue)[]): Sql {
  const parts: Part[] = [];
  strings.forEach((text, index) => {
    if (text !== '') parts.push(text);
    if (index === holes.length) return;
    const hole: unknown = holes[index];
    if (Sql.isMade(hole)) for (const part of hole.parts) parts.push(part);
    else if (isSqlValue(hole)) parts.push({ value: hole });
    else throw new TypeError(`SQL: expected a fragment or a parameter, got ${describe(hole)}`);
  });
  return new Sql(parts);
}

export const emptySql: Sql = new Sql([]);

/** A LIMIT clause; nothing for null. Larger numbers than the engine has are as good as its largest. */
export const limitTo = (count: number | null): Sql =>
  count === null ? emptySql : sql` LIMIT ${BigInt(Math.min(count, Number.MAX_SAFE_INTEGER))}`;

export const identifier = (name: string): Sql => new Sql([`"${name.replaceAll('"', '""')}"`]);

const oneWord = /^-?\w+(?:\.\w+)*(?:\[\])*$/;

/**
 * A name, number or type of the program, without quotes: `f0`, `-1`, `e1.key`, `VARCHAR[]`.
 * @throws TypeError for more than one word
 */
export function word(text: string | number): Sql {
  const spelled = String(text);
  if (!oneWord.test(spelled)) throw new TypeError('SQL: expected one word');
  return new Sql([spelled]);
}

/** Verbatim text, which must come from the program or the engine. A test lists the modules that may use it. */
export function trusted(text: string): Sql {
  if (typeof text !== 'string') throw new TypeError(`SQL: expected text, got ${describe(text)}`);
  return new Sql([text]);
}

/** @throws TypeError for a value that is not a fragment */
export function join(fragments: readonly Sql[], separator = ', '): Sql {
  const parts: Part[] = [];
  fragments.forEach((fragment, index) => {
    if (index > 0) parts.push(separator);
    for (const part of partsOf(fragment)) parts.push(part);
  });
  return new Sql(parts);
}

/** The fragment with others in place of its words; null if it has one of these words more than once. */
export function withWords(fragment: Sql, others: ReadonlyMap<string, Sql>): Sql | null {
  const seen = new Set<Part>();
  const parts: Part[] = [];
  for (const part of partsOf(fragment)) {
    if (seen.has(part)) return null;
    const other = typeof part === 'string' ? others.get(part) : undefined;
    if (other !== undefined) seen.add(part);
    for (const each of other?.parts ?? [part]) parts.push(each);
  }
  return new Sql(parts);
}

/** Whether `JSON.stringify` refuses the value, or writes null for it. */
const isLostInJson = (value: SqlValue): boolean =>
  typeof value === 'bigint' || value === Infinity || value === -Infinity;

/** A text that is equal for fragments with equal parts. A replacer function would take several times as long. */
export const contentOf = (fragment: Sql): string =>
  JSON.stringify(
    partsOf(fragment).map((part) =>
      typeof part === 'object' && isLostInJson(part.value) ? { number: String(part.value) } : part,
    ),
  );

/**
 * Numbers the placeholders; equal values share one.
 * @throws TypeError for a value that is not a fragment
 */
export function toStatement(fragment: Sql): Statement {
  const values: SqlValue[] = [];
  const numbers = new Map<SqlValue, number>();
  const placeholder = (value: SqlValue): string => {
    let number = numbers.get(value);
    if (number === undefined) {
      values.push(value);
      number = values.length;
      numbers.set(value, number);
    }
    return `$${number}`;
  };
  const text = partsOf(fragment)
    .map((part) => (typeof part === 'string' ? part : placeholder(part.value)))
    .join('');
  return { text, values };
}

/** The conditions that `column` is within inclusive bounds. Null leaves that end open. */
export const within = (
  column: Sql,
  { from, to }: { readonly from: bigint | null; readonly to: bigint | null },
): readonly Sql[] => [
  ...(from === null ? [] : [sql`${column} >= ${from}`]),
  ...(to === null ? [] : [sql`${column} <= ${to}`]),
];

/** A name of the program with an index: `v0`. */
export const numbered = (prefix: string, index: number): Sql => word(`${prefix}${index}`);
