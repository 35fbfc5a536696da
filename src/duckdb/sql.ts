// SQL fragments as values. User input can only enter a statement as a parameter or a quoted identifier.

export type SqlValue = string | number | bigint | boolean | null | readonly string[];

type Part = string | { readonly value: SqlValue };

export interface Sql {
  readonly parts: readonly Part[];
}

export interface Statement {
  /** Text with placeholders `$1`, `$2`, … */
  readonly text: string;
  readonly values: readonly SqlValue[];
}

const isSql = (value: Sql | SqlValue): value is Sql =>
  typeof value === 'object' && value !== null && 'parts' in value;

/** Template tag: an interpolated fragment is spliced in, any other value becomes a parameter. */
export function sql(strings: TemplateStringsArray, ...holes: readonly (Sql | SqlValue)[]): Sql {
  const parts: Part[] = [];
  strings.forEach((text, index) => {
    if (text !== '') parts.push(text);
    const hole = holes[index];
    if (index < holes.length && hole !== undefined) {
      if (isSql(hole)) for (const part of hole.parts) parts.push(part);
      else parts.push({ value: hole });
    }
  });
  return { parts };
}

export const emptySql: Sql = { parts: [] };

export const identifier = (name: string): Sql => ({ parts: [`"${name.replaceAll('"', '""')}"`] });

export function join(fragments: readonly Sql[], separator = ', '): Sql {
  const parts: Part[] = [];
  fragments.forEach((fragment, index) => {
    if (index > 0) parts.push(separator);
    for (const part of fragment.parts) parts.push(part);
  });
  return { parts };
}

/** Equal for fragments with equal parts. */
export const contentOf = ({ parts }: Sql): string =>
  JSON.stringify(parts, (_key, value: unknown) =>
    typeof value === 'bigint' ? `${value}n` : value,
  );

/** Numbers the placeholders; equal values share one. */
export function toStatement(fragment: Sql): Statement {
  const values: SqlValue[] = [];
  const numbers = new Map<SqlValue, number>();
  const place = (value: SqlValue): string => {
    let number = numbers.get(value);
    if (number === undefined) {
      values.push(value);
      number = values.length;
      numbers.set(value, number);
    }
    return `$${number}`;
  };
  const text = fragment.parts
    .map((part) => (typeof part === 'string' ? part : place(part.value)))
    .join('');
  return { text, values };
}

/** The conditions that `column` is within bounds, both included; null is the open end, which needs none. */
export const within = (
  column: Sql,
  { from, to }: { readonly from: bigint | null; readonly to: bigint | null },
): readonly Sql[] => [
  ...(from === null ? [] : [sql`${column} >= ${from}`]),
  ...(to === null ? [] : [sql`${column} <= ${to}`]),
];
