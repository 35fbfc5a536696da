// Reads the clauses of a JSON query, except for its sources.
import { doubleOf } from '../../../json/tree.js';
import {
  columnName,
  type CursorText,
  type Expr,
  type ExpressionItem,
  type InferItem,
  type PivotItem,
  type Sample,
  type SelectItem,
  type SortItem,
  type UnpivotItem,
} from '../ast.js';
import { sortExpression } from '../build-ast.js';
import { printName } from '../print.js';
import { isStar } from './call.js';
import { expressionOf } from './expression.js';
import {
  checkMembers,
  choiceOf,
  describeJson,
  elementsOf,
  fail,
  integerOf,
  memberAt,
  placeOf,
  requiredAt,
  stringOf,
  type JsonPart,
} from './node.js';

const anItem = '{"expr": …, "alias": …}';

export function selectItemOf(part: JsonPart): SelectItem {
  if (!isStar(part)) return itemOf(part);
  checkMembers(part, ['op', 'replace'], 'a star');
  const replaced = memberAt(part, 'replace');
  if (replaced !== null) fail(replaced, `not supported: select the fields by name, as ${anItem}`);
  return { kind: 'star', at: placeOf(part) };
}

export function itemOf(part: JsonPart): ExpressionItem {
  checkMembers(part, ['expr', 'alias'], anItem);
  const expression = expressionOf(requiredAt(part, 'expr', 'the expression'));
  const alias = memberAt(part, 'alias');
  return {
    kind: 'expression',
    expression,
    alias: alias === null ? null : stringOf(alias, 'the name of the column'),
    text: alias === null ? printName(expression) : '',
    at: placeOf(part),
  };
}

export function inferOf(part: JsonPart): readonly InferItem[] {
  const items = elementsOf(part, 'an array');
  if (items.length === 0) fail(part, 'expected at least one path, or {"op": "star"}');
  return items.map((item) => {
    if (isStar(item)) return selectItemOf(item) as InferItem;
    const expression = expressionOf(item);
    return expression.kind === 'path' ? expression : fail(item, 'expected an "ident" or a "star"');
  });
}

export function sortOf(part: JsonPart): SortItem {
  checkMembers(part, ['expr', 'dir'], '{"expr": …, "dir": "asc" or "desc"}');
  const direction = memberAt(part, 'dir');
  return {
    expression: sortExpression(expressionOf(requiredAt(part, 'expr', 'the expression'))),
    descending: direction !== null && choiceOf(direction, ['asc', 'desc']) === 'desc',
    at: placeOf(part),
  };
}

export function sampleOf(part: JsonPart): Sample {
  checkMembers(part, ['method', 'seed'], '{"method": {"type": …, "value": …}}');
  const seed = memberAt(part, 'seed');
  if (seed !== null)
    fail(seed, 'not supported: without it, the same rows are picked in every run over one version');
  const method = requiredAt(part, 'method', '{"type": …, "value": …}');
  checkMembers(method, ['type', 'value'], '{"type": …, "value": …}');
  const type = choiceOf(requiredAt(method, 'type', '"rate" or "count"'), ['rate', 'count']);
  const amount = requiredAt(method, 'value', 'a number');
  if (type === 'count') return { unit: 'rows', amount: integerOf(amount, 0) };
  const rate = doubleOf(amount.value);
  return rate !== null && rate >= 0 && rate <= 1
    ? { unit: 'percent', amount: percentageOf(rate) }
    : fail(amount, `expected a number from 0 to 1, got ${describeJson(amount.value)}`);
}

/** As a text has it: 57 for 0.57, although 0.57 * 100 is less. */
const percentageOf = (rate: number): number => Number((rate * 100).toPrecision(15));

export function unpivotOf(part: JsonPart): UnpivotItem {
  checkMembers(part, ['expr', 'alias'], anItem);
  const expression = expressionOf(requiredAt(part, 'expr', 'the expression'));
  const alias = requiredAt(part, 'alias', 'a name, or an array of two names');
  const names = Array.isArray(alias.value) ? elementsOf(alias, '') : [alias];
  if (names.length < 1 || names.length > 2)
    fail(alias, 'expected a name, or an array of two names');
  const [key, value] = names.map((name) => stringOf(name, 'a name'));
  return value === undefined
    ? { expression, key: null, value: key ?? '', at: placeOf(part) }
    : { expression, key: key ?? '', value, at: placeOf(part) };
}

export function pivotOf(part: JsonPart): PivotItem {
  checkMembers(part, ['expr', 'alias'], anItem);
  const expression = expressionOf(requiredAt(part, 'expr', 'the name of a measure'));
  const alias = memberAt(part, 'alias');
  if (alias !== null) fail(alias, 'not supported: the columns are named by their values');
  return { name: measureName(expression), at: placeOf(part) };
}

/** Measures are named like their columns. */
const measureName = (expression: Expr): string =>
  expression.kind === 'literal' && typeof expression.value === 'string'
    ? expression.value
    : columnName(expression, printName(expression));

export const cursorOf = (part: JsonPart): CursorText => ({
  text: stringOf(part, 'a cursor'),
  at: placeOf(part),
});

/** -1 stands for no limit. */
export function previewLengthOf(part: JsonPart): number | 'all' {
  const length = integerOf(part, -1);
  return length === -1 ? 'all' : length;
}
