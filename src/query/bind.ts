// AST to bound query: names resolved, aliases substituted, aggregates checked.
import type { Expr, ExpressionItem, QueryAst, SelectItem, SortItem } from './ast.js';
import { bindExpression, queryError, unknownField, type NameScope } from './bind-expression.js';
import {
  findExpr,
  type BoundExpr,
  type BoundOutput,
  type BoundQuery,
  type BoundSort,
} from './bound.js';
import { starFields } from './star.js';
import { didYouMean } from './suggest.js';

/** @throws QueryError for unknown functions, misplaced aggregates, duplicate and unknown aliases */
export function bindQuery(ast: QueryAst): BoundQuery {
  const warnings = new Set<string>();
  const dimensions = bindItems(ast.dimensions, warnings, 'cannot stand in dimensions');
  const items = ast.select === null ? ast.measures : selectItems(ast.select, ast);
  const bound = bindItems(items, warnings, null);
  const isGrouped = ast.select === null || bound.some(({ expression }) => hasAggregate(expression));
  if (ast.select === null) checkMeasures(ast.measures, bound);

  const outputs = [...dimensions, ...bound];
  checkNames([...ast.dimensions, ...items], outputs);
  const sort = ast.sort.map((item) => bindSort(item, outputs, isGrouped));
  return {
    isGrouped,
    dimensions: dimensions.map(({ expression }) => expression),
    outputs,
    filter: bindFilter(ast.filter, outputs, warnings),
    finalFilter: bindFinalFilter(ast.finalFilter, outputs, isGrouped, warnings),
    sort,
    sample: ast.sample,
    limit: ast.limit,
    shape: ast.shape,
    previewLength: ast.previewLength,
    warnings: [...warnings],
  };
}

const hasAggregate = (expression: BoundExpr): boolean =>
  findExpr(expression, ({ kind }) => kind === 'aggregate') !== null;

/** `*` becomes the fields that a fetch of the sources shows. */
function selectItems(items: readonly SelectItem[], ast: QueryAst): readonly ExpressionItem[] {
  return items.flatMap((item) =>
    item.kind === 'expression'
      ? [item]
      : starFields(ast.from).map((name): ExpressionItem => ({
          kind: 'expression',
          expression: { kind: 'path', steps: [name], at: item.at },
          alias: null,
          text: name,
          at: item.at,
        })),
  );
}

function bindItems(
  items: readonly ExpressionItem[],
  warnings: Set<string>,
  noAggregates: string | null,
): readonly BoundOutput[] {
  const scope: NameScope = {
    alias: () => null,
    aliasesFirst: false,
    noAggregates,
    unknown: (name) => unknownField(name, warnings),
  };
  return items.map((item) => ({
    name: nameOf(item),
    expression: bindExpression(item.expression, scope),
  }));
}

/** A path is named by its last part, anything else by its text. */
function nameOf(item: ExpressionItem): string {
  if (item.alias !== null) return item.alias;
  if (item.expression.kind !== 'path') return item.text.replaceAll(/\s+/g, ' ');
  const names = item.expression.steps.filter((step) => typeof step === 'string');
  return names.at(-1) ?? item.text;
}

function checkMeasures(items: readonly ExpressionItem[], bound: readonly BoundOutput[]): void {
  bound.forEach(({ expression }, index) => {
    const item = items[index];
    if (item !== undefined && !hasAggregate(expression)) {
      throw queryError(
        item.at,
        `measure '${item.text}' has no aggregate, for example avg(${item.text})`,
      );
    }
  });
}

function checkNames(items: readonly ExpressionItem[], outputs: readonly BoundOutput[]): void {
  const seen = new Set<string>();
  outputs.forEach(({ name }, index) => {
    const item = items[index];
    if (seen.has(name) && item !== undefined) {
      throw queryError(item.at, `two columns are named '${name}': name one of them with 'as'`);
    }
    seen.add(name);
  });
}

const aliasIn =
  (outputs: readonly BoundOutput[]) =>
  (name: string): BoundExpr | null =>
    outputs.find((output) => output.name === name)?.expression ?? null;

function bindFilter(
  filter: Expr | null,
  outputs: readonly BoundOutput[],
  warnings: Set<string>,
): BoundExpr | null {
  if (filter === null) return null;
  const bound = bindExpression(filter, {
    alias: aliasIn(outputs),
    aliasesFirst: false,
    noAggregates: "cannot stand in 'filter', which selects rows: use 'final_filter'",
    unknown: (name) => unknownField(name, warnings),
  });
  if (hasAggregate(bound)) {
    throw queryError(
      filter.at,
      "an alias of an aggregate cannot stand in 'filter', which selects rows: use 'final_filter'",
    );
  }
  return bound;
}

function bindFinalFilter(
  filter: Expr | null,
  outputs: readonly BoundOutput[],
  isGrouped: boolean,
  warnings: Set<string>,
): BoundExpr | null {
  if (filter === null) return null;
  if (!isGrouped) {
    throw queryError(
      filter.at,
      "'final_filter' selects groups, and the query has none: use 'filter'",
    );
  }
  return bindExpression(filter, {
    alias: aliasIn(outputs),
    aliasesFirst: true,
    noAggregates: null,
    unknown: (name) => unknownField(name, warnings),
  });
}

function bindSort(item: SortItem, outputs: readonly BoundOutput[], isGrouped: boolean): BoundSort {
  const names = outputs.map(({ name }) => name);
  const expression = bindExpression(item.expression, {
    alias: aliasIn(outputs),
    aliasesFirst: isGrouped,
    noAggregates: isGrouped ? null : "cannot stand in 'sort' of a query without aggregates",
    unknown: (name, at) => {
      throw queryError(at, `sort: unknown alias '${name}'${didYouMean(name, names)}`);
    },
  });
  return { expression, descending: item.descending };
}
