// Reads a JSON query to an AST. Published clients send queries in this form.
import type { JsonValue } from '../../../json/json.js';
import type { QueryAst } from '../ast.js';
import { checkInfer } from '../check-infer.js';
import { clauseNames } from '../clause-start.js';
import { withinStack } from '../nesting.js';
import { checkSize } from '../size.js';
import {
  cursorOf,
  inferOf,
  itemOf,
  pivotOf,
  previewLengthOf,
  sampleOf,
  selectItemOf,
  sortOf,
  unpivotOf,
} from './clauses.js';
import { expressionOf } from './expression.js';
import { checkMembers, elementsOf, fail, integerOf, memberAt, type JsonPart } from './node.js';
import { sourceExample, sourceOf } from './source.js';
import { checkTexts } from './texts.js';

/** Members that other servers accept, and what to write instead. */
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
 * @throws QueryError with the JSON path of the first invalid part
 */
export const readJsonQuery = (value: JsonValue): QueryAst => withinStack(() => read(value));

function read(value: JsonValue): QueryAst {
  checkTexts(value);
  const query: JsonPart = { value, path: 'query' };
  checkMembers(query, [...clauseNames, ...Object.keys(refused)], 'an object');
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
  checkSize(ast);
  return ast;
}

function checkComplete(query: JsonPart, { select, infer, dimensions, measures }: QueryAst): void {
  const isGrouped = dimensions.length + measures.length > 0;
  if (select !== null && isGrouped)
    fail(query, '"dimensions" and "measures" cannot be combined with "select": remove one of them');
  if (select === null && infer === null && !isGrouped)
    fail(query, 'missing "select", or "dimensions" and "measures"');
  if (select?.length === 0) fail(query, '"select" is empty: select all fields with {"op": "star"}');
}
