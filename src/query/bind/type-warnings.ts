// Warns of comparisons that are null in every row: a field of one type with a constant of another.
import type { ComparisonOperator } from '../syntax/ast.js';
import { someExpr, type BoundExpr, type BoundQuery, type FieldExpr } from '../bound/bound-query.js';
import { fieldOf, type FieldType } from '../bound/fields.js';

type Type = 'string' | 'number' | 'boolean' | 'time';

const fieldTypes: Partial<Readonly<Record<FieldType, Type>>> = {
  string: 'string',
  transaction: 'string',
  pageKey: 'string',
  timestamp: 'time',
  boolean: 'boolean',
};

/** The paths of JSON whose values an insert checks. */
const pathTypes: Readonly<Record<string, Readonly<Record<string, Type>>>> = {
  metrics: {
    start: 'number',
    end: 'number',
    prompt_tokens: 'number',
    completion_tokens: 'number',
    tokens: 'number',
  },
  span_attributes: { name: 'string', type: 'string' },
  context: { caller_functionname: 'string', caller_filename: 'string', caller_lineno: 'number' },
};

function typeOf({ field, steps: [name, ...below] }: FieldExpr): Type | null {
  const { type } = fieldOf(field) ?? {};
  if (type !== 'json') return name === undefined ? (fieldTypes[type ?? 'json'] ?? null) : null;
  if (typeof name !== 'string' || below.length > 0) return null;
  if (field === 'scores') return 'number';
  const members = pathTypes[field] ?? {};
  return Object.hasOwn(members, name) ? members[name]! : null;
}

const comparisons: ReadonlySet<string> = new Set<ComparisonOperator>([
  '=',
  '!=',
  '<',
  '<=',
  '>',
  '>=',
]);

/** The warnings for all comparisons of the query. */
export function typeWarnings(
  query: Omit<BoundQuery, 'warnings' | 'isSelect' | 'isGrouped'>,
): readonly string[] {
  const { filter, spanFilter, traceFilter, finalFilter, outputs, dimensions, sort } = query;
  const filters = [filter, spanFilter, traceFilter, finalFilter].filter((each) => each !== null);
  const warnings: string[] = [];
  const visit = (part: BoundExpr): boolean => {
    for (const [one, other] of comparedIn(part)) {
      const warning = warningOf(one, other) ?? warningOf(other, one);
      if (warning !== null) warnings.push(warning);
    }
    return false;
  };
  for (const expression of [
    ...filters,
    ...[...outputs, ...sort].map((each) => each.expression),
    ...dimensions,
  ])
    someExpr(expression, visit);
  return warnings;
}

function comparedIn(part: BoundExpr): readonly (readonly [BoundExpr, BoundExpr])[] {
  if (part.kind === 'in') return part.list.map((each) => [part.operand, each] as const);
  return part.kind === 'binary' && comparisons.has(part.operator) ? [[part.left, part.right]] : [];
}

/** Strings in ISO 8601 compare with times. */
const accepted: Readonly<Record<Type, readonly string[]>> = {
  string: ['string'],
  number: ['number'],
  boolean: ['boolean'],
  time: ['string'],
};

const article: Readonly<Record<Type, string>> = {
  string: 'a string',
  number: 'a number',
  boolean: 'a boolean',
  time: 'a time',
};

function warningOf(field: BoundExpr, constant: BoundExpr): string | null {
  if (field.kind !== 'field' || constant.kind !== 'literal') return null;
  const type = typeOf(field);
  const { value } = constant;
  if (
    type === null ||
    (typeof value !== 'number' && typeof value !== 'string' && typeof value !== 'boolean')
  )
    return null;
  if (accepted[type].includes(typeof value)) return null;
  const name = [field.field, ...field.steps].join('.');
  return `${name} is ${article[type]}, so its comparison with the ${typeof value} ${shown(value)} is null in every row`;
}

const shown = (value: string | number | boolean): string =>
  typeof value === 'string' ? `'${value.slice(0, 50)}'` : String(value);
