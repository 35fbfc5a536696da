// Builds the AST of a query from the parse tree of a SELECT.
import { QueryError } from '../../errors.js';
import type { Expr, ExpressionItem, QueryAst, SelectItem, SortItem } from './ast.js';
import {
  aliasOf,
  countOf,
  cursorOf,
  shapeOf,
  sortExpression,
  sortItemOf,
  sourcesOf,
  textOf,
} from './build-ast.js';
import { buildExpression } from './build-expression.js';
import { QueryLexer } from '../generated/QueryLexer.js';
import type {
  ExprContext,
  SqlGroupContext,
  SqlItemContext,
  SqlOrderContext,
  SqlTextContext,
} from '../generated/QueryParser.js';
import { positionOf } from './position.js';
import { unquoted } from './quoting.js';
import { checkSize } from './size.js';

export function buildSql(tree: SqlTextContext): QueryAst {
  const items = tree.sqlItem().map(itemOf);
  const group = tree.sqlGroup();
  const isDistinct = tree.DISTINCT() !== null;
  if (isDistinct && group !== null)
    throw new QueryError(
      positionOf(group),
      'GROUP BY cannot be combined with DISTINCT: remove one of them',
    );
  const where = tree.sqlWhere();
  const having = tree.sqlHaving();
  const limit = tree.sqlLimit();
  const ast: QueryAst = {
    select: isDistinct ? null : items,
    infer: null,
    dimensions: isDistinct ? items.map(distinctItem) : [],
    measures: [],
    groupBy: group === null ? null : keysOf(group, items),
    from: sourcesOf(tree.source()),
    shape: shapeOf(tree.shape()),
    filter: where === null ? null : buildExpression(where.expr()),
    finalFilter: having === null ? null : buildExpression(having.expr()),
    traceFilter: null,
    spanFilter: null,
    sort: sortOf(tree.sqlOrder(), items),
    sample: null,
    unpivot: [],
    pivot: [],
    limit: limit === null ? null : countOf('LIMIT', limit.NUMBER()),
    cursor: cursorOf(limit),
    previewLength: null,
  };
  checkSize(ast);
  return ast;
}

function itemOf(item: SqlItemContext): SelectItem {
  const at = positionOf(item);
  const expression = item.expr();
  if (expression === null) return { kind: 'star', at };
  const bare = item.WORD()?.getText() ?? null;
  const quoted = item.DOUBLE_QUOTED();
  return {
    kind: 'expression',
    expression: buildExpression(expression),
    alias: aliasOf(item.alias()) ?? bare ?? (quoted === null ? null : unquoted(quoted.getText())),
    text: textOf(expression),
    at,
  };
}

function distinctItem(item: SelectItem): ExpressionItem {
  if (item.kind === 'expression') return item;
  throw new QueryError(item.at, "'*' cannot be combined with DISTINCT: name the expressions");
}

const keysOf = (group: SqlGroupContext, items: readonly SelectItem[]): readonly Expr[] =>
  group.expr().map((context) => numbered(keyOf(context), items, 'GROUP BY'));

/** Text in double quotes is a name. */
function keyOf(context: ExprContext): Expr {
  const key = buildExpression(context);
  return context.start?.type === QueryLexer.DOUBLE_QUOTED ? sortExpression(key) : key;
}

const sortOf = (order: SqlOrderContext | null, items: readonly SelectItem[]): readonly SortItem[] =>
  (order?.sortItem() ?? []).map((context) => {
    const { expression, descending, at } = sortItemOf(context);
    return { expression: numbered(expression, items, 'ORDER BY'), descending, at };
  });

/** A number refers to the item at this position in the SELECT list, if no item up to it is a `*`, which is several columns. */
function numbered(expression: Expr, items: readonly SelectItem[], clause: string): Expr {
  if (expression.kind !== 'literal' || typeof expression.value !== 'number') return expression;
  const star = items.findIndex(({ kind }) => kind === 'star');
  if (star !== -1 && expression.value > star)
    throw new QueryError(
      expression.at,
      `${clause}: number ${expression.value} is at or behind the '*' of SELECT: name the column instead of its number`,
    );
  const item = items[expression.value - 1];
  if (item?.kind === 'expression') return item.expression;
  throw new QueryError(
    expression.at,
    `${clause}: there is no expression number ${expression.value} behind SELECT`,
  );
}
