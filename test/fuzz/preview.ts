// `preview_length`: long values of bare paths, and of `coalesce` of them, are cut to their first characters.
import * as fc from 'fast-check';
import { isArray, isObject, isString, string, type Tagged } from './model/tagged-json.js';
import type { Expr } from './expression.js';
import type { Query } from './query.js';
import { jsonText } from './text.js';

/** What the shape `summary` cuts to when nothing else is said. */
const ofSummaries = 124;

const cutFields = new Set(['input', 'output', 'expected', 'metadata', 'span_attributes', 'error']);

const isCut = (expression: Expr): boolean =>
  expression.kind === 'apply'
    ? expression.op === 'coalesce' && expression.args.every(isCut)
    : expression.kind === 'path' && cutFields.has(expression.field);

const lengthOf = ({ kind, shape, preview }: Query): number => {
  if (kind === 'groups' || preview === -1) return Infinity;
  return preview ?? (shape === 'summary' ? ofSummaries : Infinity);
};

/** Of arrays and objects their text; null of what is never cut. */
function longText(value: Tagged): string | null {
  if (isArray(value) || isObject(value)) return jsonText(value);
  return typeof value === 'string' && isString(value) ? value.slice(1) : null;
}

/** What is shown of the value of an output. */
export function shownOf(query: Query, expression: Expr, value: Tagged): Tagged {
  const length = lengthOf(query);
  if (length === Infinity || !isCut(expression)) return value;
  const characters = Array.from(longText(value) ?? '');
  return characters.length > length ? string(characters.slice(0, length).join('')) : value;
}

const withPreview = (plain: Query, preview: number): Query =>
  plain.kind === 'groups' ? plain : { ...plain, preview };

/** Now and then a query of rows cuts its values. */
export const sometimesPreviewed = (query: fc.Arbitrary<Query>): fc.Arbitrary<Query> =>
  fc
    .tuple(query, fc.nat(7), fc.constantFrom(-1, 1, 3, 10, 30, 200))
    .map(([plain, chance, preview]) => (chance > 0 ? plain : withPreview(plain, preview)));
