// Builds the AST of a query from its parse tree; build-expression.ts builds the expressions.
import type { ParserRuleContext, TerminalNode } from 'antlr4ng';
import { QueryError } from '../../errors.js';
import {
  columnName,
  shapes,
  sourceKinds,
  type CursorText,
  type Expr,
  type ExpressionItem,
  type PivotItem,
  type QueryAst,
  type QuerySource,
  type Sample,
  type SelectItem,
  type Shape,
  type SortItem,
  type SourceKind,
  type UnpivotItem,
} from './ast.js';
import { buildExpression } from './build-expression.js';
import {
  CursorClauseContext,
  DimensionsClauseContext,
  ExpressionItemContext,
  FilterClauseContext,
  FinalFilterClauseContext,
  FromClauseContext,
  InferClauseContext,
  LimitClauseContext,
  MeasuresClauseContext,
  PivotClauseContext,
  PreviewLengthClauseContext,
  SampleClauseContext,
  SelectClauseContext,
  SortClauseContext,
  SpanFilterClauseContext,
  TraceFilterClauseContext,
  UnpivotClauseContext,
  type AliasContext,
  type ClauseContext,
  type ExprContext,
  type ItemContext,
  type ItemsContext,
  type QueryContext,
  type ShapeContext,
  type SourceContext,
  type SqlLimitContext,
  type SortItemContext,
  type SourceIdContext,
  type UnpivotItemContext,
} from '../generated/QueryParser.js';
import { checkInfer, inferItem } from './check-infer.js';
import { positionOf, positionOfToken } from './position.js';
import { unquoted } from './quoting.js';
import { checkSize } from './size.js';
import { didYouMean } from './suggest.js';

const queryStart = { line: 1, column: 1 };

export function buildAst(tree: QueryContext): QueryAst {
  const clauses = tree.clause();
  checkOnce(clauses);
  const clause = <T extends ClauseContext>(type: abstract new (...args: never[]) => T) =>
    clauses.find((candidate): candidate is T => candidate instanceof type) ?? null;

  const ast: QueryAst = {
    select: itemsOf(clause(SelectClauseContext)),
    infer: itemsOf(clause(InferClauseContext))?.map(inferItem) ?? null,
    dimensions: expressionItemsOf(clause(DimensionsClauseContext)),
    measures: expressionItemsOf(clause(MeasuresClauseContext)),
    groupBy: null,
    from: sourcesOf(clause(FromClauseContext)?.source() ?? []),
    shape: shapeOf(clause(FromClauseContext)?.shape() ?? null),
    filter: conditionOf(clause(FilterClauseContext)),
    finalFilter: conditionOf(clause(FinalFilterClauseContext)),
    traceFilter: conditionOf(clause(TraceFilterClauseContext)),
    spanFilter: conditionOf(clause(SpanFilterClauseContext)),
    sort: clause(SortClauseContext)?.sortItem().map(sortItemOf) ?? [],
    sample: sampleOf(clause(SampleClauseContext)),
    unpivot: clause(UnpivotClauseContext)?.unpivotItem().map(unpivotOf) ?? [],
    pivot: clause(PivotClauseContext)?.expr().map(pivotOf) ?? [],
    limit: limitOf(clause(LimitClauseContext)),
    cursor: cursorOf(clause(CursorClauseContext)),
    previewLength: previewLengthOf(clause(PreviewLengthClauseContext)),
  };
  checkInfer(ast);
  checkComplete(ast, clauses);
  checkSize(ast);
  return ast;
}

const conditionOf = (clause: (ClauseContext & { expr(): ExprContext }) | null): Expr | null =>
  clause === null ? null : buildExpression(clause.expr());

function fail(context: ParserRuleContext, reason: string): never {
  throw new QueryError(positionOf(context), reason);
}

const nameOf = (clause: ClauseContext): string => clause.start?.text?.toLowerCase() ?? '';

function checkOnce(clauses: readonly ClauseContext[]): void {
  const seen = new Set<string>();
  for (const clause of clauses) {
    const name = nameOf(clause);
    if (seen.has(name)) fail(clause, `clause '${name}' is given twice`);
    seen.add(name);
  }
}

function checkComplete(ast: QueryAst, clauses: readonly ClauseContext[]): void {
  const first = clauses.find((clause) => /^(dimensions|measures)$/.test(nameOf(clause)));
  if (ast.select !== null && first !== undefined) {
    fail(first, `clause '${nameOf(first)}' cannot be combined with 'select': remove one of them`);
  }
  if (ast.select === null && ast.infer === null && first === undefined) {
    throw new QueryError(queryStart, "missing 'select', or 'dimensions' and 'measures'");
  }
  if (ast.from.length === 0) {
    throw new QueryError(queryStart, "missing 'from', for example from: experiment('<id>')");
  }
}

const itemsOf = (
  clause: SelectClauseContext | InferClauseContext | null,
): readonly SelectItem[] | null => (clause === null ? null : clause.items().item().map(itemOf));

function itemOf(item: ItemContext): SelectItem {
  if (!(item instanceof ExpressionItemContext)) return { kind: 'star', at: positionOf(item) };
  const expression = item.expr();
  return {
    kind: 'expression',
    expression: buildExpression(expression),
    alias: aliasOf(item.alias()),
    text: textOf(expression),
    at: positionOf(item),
  };
}

function unpivotOf(item: UnpivotItemContext): UnpivotItem {
  const names = item.alias().map(aliasOf);
  const [key, value] = names.length === 1 ? [null, names[0]] : names;
  const expression = buildExpression(item.expr());
  return { expression, key: key ?? null, value: value ?? '', at: positionOf(item) };
}

/** Measures are named like their columns, by alias or text, with or without quotes. */
function pivotOf(context: ExprContext): PivotItem {
  const expression = buildExpression(context);
  const isText = expression.kind === 'literal' && typeof expression.value === 'string';
  const name = isText ? expression.value : columnName(expression, textOf(context));
  return { name, at: positionOf(context) };
}

export function aliasOf(alias: AliasContext | null): string | null {
  if (alias === null) return null;
  return alias.word() === null ? unquoted(alias.getText()) : alias.getText();
}

export function textOf(context: ParserRuleContext): string {
  const { start, stop } = context;
  const text = start?.inputStream?.getTextFromRange(start.start, stop?.stop ?? start.stop);
  return text ?? context.getText();
}

function expressionItemsOf(
  clause: (ClauseContext & { items(): ItemsContext }) | null,
): readonly ExpressionItem[] {
  if (clause === null) return [];
  return clause
    .items()
    .item()
    .map((item) => {
      const built = itemOf(item);
      if (built.kind === 'star') fail(item, "'*' is allowed in 'select' only");
      return built;
    });
}

export const sourcesOf = (sources: readonly SourceContext[]): readonly QuerySource[] =>
  sources.flatMap((source) => {
    const kind = sourceKindOf(source);
    return source.sourceId().map((id) => sourceOf(kind, id));
  });

export function shapeOf(shape: ShapeContext | null): Shape {
  if (shape === null) return 'spans';
  const name = shape.getText().toLowerCase();
  return (
    shapes.find((candidate) => candidate === name) ??
    fail(
      shape,
      `unknown shape '${shape.getText()}'${didYouMean(name, shapes)}: expected one of ${shapes.join(', ')}`,
    )
  );
}

function sourceKindOf(source: SourceContext): SourceKind {
  const name = source.WORD().getText();
  const kind = sourceKinds.find((candidate) => candidate === name.toLowerCase());
  return (
    kind ??
    fail(
      source,
      `unknown source '${name}'${didYouMean(name, sourceKinds)}: expected one of ${sourceKinds.join(', ')}`,
    )
  );
}

function sourceOf(kind: SourceKind, context: SourceIdContext): QuerySource {
  const quoted = context.SINGLE_QUOTED() ?? context.DOUBLE_QUOTED();
  const id = quoted === null ? context.getText() : unquoted(quoted.getText());
  return { kind, id, at: positionOf(context) };
}

export const sortItemOf = (item: SortItemContext): SortItem => ({
  expression: sortExpression(buildExpression(item.expr())),
  descending: item.DESC() !== null,
  at: positionOf(item),
});

/** Sorting by a constant has no meaning, so a quoted name in `sort` is an alias with spaces. */
export function sortExpression(expression: Expr): Expr {
  if (expression.kind !== 'literal' || typeof expression.value !== 'string') return expression;
  return { kind: 'path', steps: [expression.value], at: expression.at };
}

function sampleOf(clause: SampleClauseContext | null): Sample | null {
  if (clause === null) return null;
  const token = clause.NUMBER();
  const amount = Number(token.getText());
  const unit = clause.PERCENT_SUFFIX() === null ? 'rows' : 'percent';
  if (unit === 'percent' ? amount > 100 : !Number.isSafeInteger(amount)) {
    const reason = `sample: expected an integer, or up to 100%, got ${token.getText()}`;
    throw new QueryError(positionOfToken(token.symbol), reason);
  }
  return { unit, amount };
}

function limitOf(clause: LimitClauseContext | null): number | null {
  return clause === null ? null : countOf('limit', clause.NUMBER());
}

export function countOf(clause: string, token: TerminalNode): number {
  const count = Number(token.getText());
  if (!Number.isSafeInteger(count)) {
    throw new QueryError(
      positionOfToken(token.symbol),
      `${clause}: expected an integer of at least 0, got ${token.getText()}`,
    );
  }
  return count;
}

export function cursorOf(clause: CursorClauseContext | SqlLimitContext | null): CursorText | null {
  const token = clause?.SINGLE_QUOTED() ?? clause?.DOUBLE_QUOTED() ?? null;
  if (token === null) return null;
  return { text: unquoted(token.getText()), at: positionOfToken(token.symbol) };
}

/** -1 stands for no limit. */
function previewLengthOf(clause: PreviewLengthClauseContext | null): number | 'all' | null {
  if (clause === null) return null;
  const length = countOf('preview_length', clause.NUMBER());
  if (clause.MINUS() === null) return length;
  return length === 1
    ? 'all'
    : fail(clause, `preview_length: expected at least -1, got -${length}`);
}
