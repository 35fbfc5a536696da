// A query that is JSON to AST: a second spelling of the language, in the names that published clients send.
import type { JsonValue } from '../../../json/json.js';
import { columnName } from '../../bind/column-name.js';
import { doubleOf, isJsonObject } from '../../../json/tree.js';
import {
  shapes,
  sourceKinds,
  type CursorText,
  type Expr,
  type ExpressionItem,
  type InferItem,
  type PivotItem,
  type QueryAst,
  type QuerySource,
  type Sample,
  type SelectItem,
  type Shape,
  type SortItem,
  type UnpivotItem,
} from '../ast.js';
import { sortExpression } from '../build-ast.js';
import { checkInfer } from '../check-infer.js';
import { checkCounts } from '../limits.js';
import { withinStack } from '../nesting.js';
import { printExpression } from '../print.js';
import { didYouMean } from '../suggest.js';
import { calleeOf, expressionOf, isStar } from './expression.js';
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
import { checkSize } from './size.js';
import { checkTexts } from './texts.js';

/** Members of a query, and of others what to write instead. */
const members = [
  'select',
  'dimensions',
  'measures',
  'from',
  'filter',
  'final_filter',
  'trace_filter',
  'span_filter',
  'sort',
  'sample',
  'unpivot',
  'pivot',
  'infer',
  'limit',
  'cursor',
  'preview_length',
];

const refused: Readonly<Record<string, string>> = {
  comparison_key: 'not supported: compare experiments with GET /v1/experiment/{id}/summarize',
  weighted_scores:
    'not supported: write the weighted sum as an expression of "select" or "measures"',
  custom_columns: 'not supported: name the expressions with "alias" in "select"',
  inference_budget: 'not supported: limit the rows with "sample"',
  final_dimensions: 'not supported: group with "dimensions"',
  final_measures: 'not supported: aggregate with "measures"',
};

/**
 * @param value the value of `query`, an object
 * @throws QueryError that names the place of the first part that means nothing
 */
export const readJsonQuery = (value: JsonValue): QueryAst => withinStack(() => read(value));

function read(value: JsonValue): QueryAst {
  checkTexts(value);
  const query: JsonPart = { value, path: 'query' };
  checkMembers(query, [...members, ...Object.keys(refused)], 'an object');
  for (const [name, reason] of Object.entries(refused)) {
    const part = memberAt(query, name);
    if (part !== null) fail(part, reason);
  }
  const source = memberAt(query, 'from');
  if (source === null) fail(query, `missing "from", for example ${sourceExample}`);
  const one = <T>(name: string, build: (part: JsonPart) => T): T | null => {
    const part = memberAt(query, name);
    return part === null ? null : build(part);
  };
  const many = <T>(name: string, build: (part: JsonPart) => T): readonly T[] =>
    one(name, (part) => elementsOf(part, 'an array').map(build)) ?? [];
  const ast: QueryAst = {
    select: memberAt(query, 'select') === null ? null : many('select', selectItemOf),
    infer: one('infer', inferOf),
    dimensions: many('dimensions', itemOf),
    measures: many('measures', itemOf),
    groupBy: null,
    ...sourceOf(source),
    filter: one('filter', (part) => expressionOf(part)),
    finalFilter: one('final_filter', (part) => expressionOf(part)),
    traceFilter: one('trace_filter', (part) => expressionOf(part)),
    spanFilter: one('span_filter', (part) => expressionOf(part)),
    sort: many('sort', sortOf),
    sample: one('sample', sampleOf),
    unpivot: many('unpivot', unpivotOf),
    pivot: many('pivot', pivotOf),
    limit: one('limit', (part) => integerOf(part, 0)),
    cursor: one('cursor', cursorOf),
    previewLength: one('preview_length', previewLengthOf),
  };
  checkInfer(ast);
  checkComplete(query, ast);
  checkCounts(ast);
  checkSize(ast);
  return ast;
}

function checkComplete(query: JsonPart, { select, infer, dimensions, measures }: QueryAst): void {
  const isGrouped = dimensions.length + measures.length > 0;
  if (select !== null && isGrouped)
    fail(query, '"dimensions" and "measures" cannot stand beside "select": use one or the other');
  if (select === null && infer === null && !isGrouped)
    fail(query, 'missing "select", or "dimensions" and "measures"');
  if (select?.length === 0) fail(query, '"select" is empty: select all fields with {"op": "star"}');
}

const anItem = '{"expr": …, "alias": …}';

function selectItemOf(part: JsonPart): SelectItem {
  if (!isStar(part)) return itemOf(part);
  checkMembers(part, ['op', 'replace'], 'a star');
  const replaced = memberAt(part, 'replace');
  if (replaced !== null) fail(replaced, `not supported: select the fields by name, as ${anItem}`);
  return { kind: 'star', at: placeOf(part) };
}

function itemOf(part: JsonPart): ExpressionItem {
  checkMembers(part, ['expr', 'alias'], anItem);
  const expression = expressionOf(requiredAt(part, 'expr', 'the expression'));
  const alias = memberAt(part, 'alias');
  return {
    kind: 'expression',
    expression,
    alias: alias === null ? null : stringOf(alias, 'the name of the column'),
    text: alias === null ? printExpression(expression) : '',
    at: placeOf(part),
  };
}

function inferOf(part: JsonPart): readonly InferItem[] {
  const items = elementsOf(part, 'an array');
  if (items.length === 0) fail(part, 'expected at least one path, or {"op": "star"}');
  return items.map((item) => {
    if (isStar(item)) return selectItemOf(item) as InferItem;
    const expression = expressionOf(item);
    return expression.kind === 'path' ? expression : fail(item, 'expected an "ident" or a "star"');
  });
}

const sourceExample =
  '{"op": "function", "name": {"op": "ident", "name": ["experiment"]}, "args": [{"op": "literal", "value": "<id>"}]}';

function sourceOf(part: JsonPart): { from: readonly QuerySource[]; shape: Shape } {
  if (!isJsonObject(part.value) || memberAt(part, 'op')?.value !== 'function')
    fail(part, `expected a source, for example ${sourceExample}`);
  checkMembers(part, ['op', 'name', 'args', 'shape'], 'a source');
  const name = calleeOf(part);
  const kind =
    sourceKinds.find((candidate) => candidate === name) ??
    fail(
      requiredAt(part, 'name', ''),
      `unknown source ${describeJson(name)}${didYouMean(name, sourceKinds)}: expected one of ${sourceKinds.join(', ')}`,
    );
  const ids = elementsOf(requiredAt(part, 'args', 'an array of ids'), 'an array of ids');
  if (ids.length === 0) fail(part, 'expected at least one id in "args"');
  const shape = memberAt(part, 'shape');
  return {
    from: ids.map((id) => ({ kind, id: idOf(id), at: placeOf(id) })),
    shape: shape === null ? 'spans' : choiceOf(shape, shapes),
  };
}

function idOf(part: JsonPart): string {
  const id = expressionOf(part);
  return id.kind === 'literal' && typeof id.value === 'string'
    ? id.value
    : fail(part, 'expected an id, as {"op": "literal", "value": "<id>"}');
}

function sortOf(part: JsonPart): SortItem {
  checkMembers(part, ['expr', 'dir'], '{"expr": …, "dir": "asc" or "desc"}');
  const direction = memberAt(part, 'dir');
  return {
    expression: sortExpression(expressionOf(requiredAt(part, 'expr', 'the expression'))),
    descending: direction !== null && choiceOf(direction, ['asc', 'desc']) === 'desc',
    at: placeOf(part),
  };
}

function sampleOf(part: JsonPart): Sample {
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
    ? { unit: 'percent', amount: rate * 100 }
    : fail(amount, `expected a number from 0 to 1, got ${describeJson(amount.value)}`);
}

function unpivotOf(part: JsonPart): UnpivotItem {
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

function pivotOf(part: JsonPart): PivotItem {
  checkMembers(part, ['expr', 'alias'], anItem);
  const expression = expressionOf(requiredAt(part, 'expr', 'the name of a measure'));
  const alias = memberAt(part, 'alias');
  if (alias !== null) fail(alias, 'not supported: the columns are named by their values');
  return { name: measureName(expression), at: placeOf(part) };
}

/** Measures are named as their columns are. */
const measureName = (expression: Expr): string =>
  expression.kind === 'literal' && typeof expression.value === 'string'
    ? expression.value
    : columnName(expression, printExpression(expression));

const cursorOf = (part: JsonPart): CursorText => ({
  text: stringOf(part, 'a cursor'),
  at: placeOf(part),
});

/** -1 is no limit. */
function previewLengthOf(part: JsonPart): number | 'all' {
  const length = integerOf(part, -1);
  return length === -1 ? 'all' : length;
}
