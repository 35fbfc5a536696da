// Parse tree of an expression to AST: one method per labelled alternative of the grammar.
import { TerminalNode, type ParserRuleContext, type Token } from 'antlr4ng';
import { QueryError } from '../../errors.js';
import { intervalUnits, type BinaryOperator, type Expr, type Position, type Step } from './ast.js';
import { buildLiteral } from './build-literal.js';
import {
  BinaryExprContext,
  IndexStepContext,
  KeyStepContext,
  QuotedStepContext,
  SingleQuotedStepContext,
  type CallPrimaryContext,
  type ConditionalExprContext,
  type ExprContext,
  type InExprContext,
  type IntervalPrimaryContext,
  type IsNullExprContext,
  type LiteralPrimaryContext,
  type NegateExprContext,
  type NotExprContext,
  type ParenPrimaryContext,
  type PathPrimaryContext,
  type PrimaryContext,
  type QuotedPathPrimaryContext,
  type StepContext,
  type WordExprContext,
} from '../generated/QueryParser.js';
import { QueryParserVisitor } from '../generated/QueryParserVisitor.js';
import { checkCount, limits } from './limits.js';
import { unquoted } from './quoting.js';

export const positionOf = (context: ParserRuleContext): Position => positionOfToken(context.start);

const positionOfToken = (token: Token | null | undefined): Position => ({
  line: token?.line ?? 1,
  column: (token?.column ?? 0) + 1,
});

export function buildExpression(context: ExprContext | PrimaryContext): Expr {
  const built = context.accept(builder);
  if (built === null) throw new Error(`no AST for ${context.getText()}`);
  return built;
}

const buildAll = (contexts: readonly ExprContext[]): Expr[] => contexts.map(buildExpression);

/** The grammar guarantees the operand. */
function operand(contexts: readonly ExprContext[], index: number): Expr {
  const context = contexts[index];
  if (context === undefined) throw new Error('operand is missing');
  return buildExpression(context);
}

const binaryOperators: Readonly<Record<string, BinaryOperator>> = {
  '<>': '!=',
  contains: 'includes',
};

type InfixContext = BinaryExprContext | WordExprContext;

/** It stands before the right operand. */
function operatorOf(context: InfixContext): Token | null {
  const node = context.getChild(context.getChildCount() - 2);
  return node instanceof TerminalNode ? node.symbol : null;
}

/** Long chains lean to the left and are walked in a loop, so that the stack does not limit them. */
function getBinary(context: InfixContext): Expr {
  const chain: InfixContext[] = [context];
  let left = context.expr(0);
  while (left instanceof BinaryExprContext) {
    chain.push(left);
    left = left.expr(0);
  }
  if (chain.length > limits.operatorsInARow || left === null) {
    const { line, column } = positionOf(context);
    const reason = `more than ${limits.operatorsInARow} operators in a row: long lists are tested with 'in'`;
    throw new QueryError(line, column, reason);
  }
  return chain.reduceRight((built, each) => getInfix(each, built), buildExpression(left));
}

function getInfix(context: InfixContext, left: Expr): Expr {
  const token = operatorOf(context);
  const text = token?.text?.toLowerCase() ?? '';
  return {
    kind: 'binary',
    operator: binaryOperators[text] ?? (text as BinaryOperator),
    left,
    right: operand(context.expr(), 1),
    at: positionOfToken(token),
  };
}

const negatedIf = (negated: boolean, expression: Expr): Expr =>
  negated ? { kind: 'unary', operator: 'not', operand: expression, at: expression.at } : expression;

function getNegation(context: NegateExprContext): Expr {
  const inner = buildExpression(context.expr());
  const at = positionOf(context);
  if (inner.kind === 'literal' && typeof inner.value === 'number' && 1 / inner.value > 0) {
    return { kind: 'literal', value: -inner.value, at };
  }
  return { kind: 'unary', operator: '-', operand: inner, at };
}

function getCall(context: CallPrimaryContext): Expr {
  return {
    kind: 'call',
    name: context.callee().getText().toLowerCase(),
    args: context.STAR() === null ? buildAll(context.expr()) : 'star',
    at: positionOf(context),
  };
}

function getInterval(context: IntervalPrimaryContext): Expr {
  const token = context.NUMBER();
  const name = context.word().getText().toLowerCase().replace(/s$/, '');
  const unit = intervalUnits.find((candidate) => candidate === name);
  const count = Number(token.getText());
  if (unit === undefined || !Number.isSafeInteger(count) || count > 1e9) {
    const { line, column } = positionOf(context);
    const reason =
      unit === undefined
        ? `unknown interval unit '${context.word().getText()}': expected one of ${intervalUnits.join(', ')}`
        : `interval: expected a whole number of ${unit}s up to 1000000000, got ${token.getText()}`;
    throw new QueryError(line, column, reason);
  }
  return { kind: 'interval', count, unit, at: positionOf(context) };
}

function getPath(head: string, steps: readonly StepContext[], at: Position): Expr {
  const excess = steps[limits.pathSteps];
  if (excess !== undefined) {
    const { line, column } = positionOf(excess);
    throw new QueryError(
      line,
      column,
      `a path has more than ${limits.pathSteps} parts below its field`,
    );
  }
  return { kind: 'path', steps: [head, ...steps.map(getStep)], at };
}

function getStep(step: StepContext): Step {
  if (step instanceof SingleQuotedStepContext) {
    const { line, column } = positionOf(step);
    const name = unquoted(step.SINGLE_QUOTED().getText());
    const suggestion = JSON.stringify(name);
    throw new QueryError(line, column, `a path part is quoted with double quotes: .${suggestion}`);
  }
  if (step instanceof QuotedStepContext) return unquoted(step.DOUBLE_QUOTED().getText());
  if (step instanceof KeyStepContext) return unquoted(step.getChild(1)?.getText() ?? '');
  if (step instanceof IndexStepContext) return getIndex(step);
  return step.getChild(1)?.getText() ?? '';
}

function getIndex(step: IndexStepContext): number {
  const digits = step.NUMBER().getText();
  if (!/^\d{1,9}$/.test(digits)) {
    const { line, column } = positionOf(step);
    throw new QueryError(line, column, `index: expected an integer, got ${digits}`);
  }
  return step.MINUS() === null ? Number(digits) : 0 - Number(digits);
}

class ExpressionBuilder extends QueryParserVisitor<Expr> {
  override visitBinaryExpr = getBinary;

  override visitWordExpr = (context: WordExprContext) =>
    negatedIf(context.NOT() !== null, getBinary(context));

  override visitInExpr = (context: InExprContext): Expr => {
    const list = buildAll(context.list().expr());
    checkCount(list, limits.listElements, "elements in a list of 'in'");
    return negatedIf(context.NOT() !== null, {
      kind: 'in',
      operand: buildExpression(context.expr()),
      list,
      at: positionOfToken(context.IN().symbol),
    });
  };

  override visitIsNullExpr = (context: IsNullExprContext): Expr =>
    negatedIf(context.NOT() !== null, {
      kind: 'isNull',
      operand: buildExpression(context.expr()),
      at: positionOfToken(context.IS().symbol),
    });

  override visitNotExpr = (context: NotExprContext): Expr => ({
    kind: 'unary',
    operator: 'not',
    operand: buildExpression(context.expr()),
    at: positionOf(context),
  });

  override visitNegateExpr = getNegation;

  override visitConditionalExpr = (context: ConditionalExprContext): Expr => ({
    kind: 'conditional',
    condition: operand(context.expr(), 0),
    whenTrue: operand(context.expr(), 1),
    otherwise: operand(context.expr(), 2),
    at: positionOf(context),
  });

  override visitLiteralPrimary = (context: LiteralPrimaryContext): Expr => ({
    kind: 'literal',
    value: buildLiteral(context.literal()),
    at: positionOf(context),
  });

  override visitIntervalPrimary = getInterval;

  override visitCallPrimary = getCall;

  override visitPathPrimary = (context: PathPrimaryContext) =>
    getPath(context.name().getText(), context.step(), positionOf(context));

  override visitQuotedPathPrimary = (context: QuotedPathPrimaryContext) =>
    getPath(unquoted(context.DOUBLE_QUOTED().getText()), context.step(), positionOf(context));

  override visitParenPrimary = (context: ParenPrimaryContext) => buildExpression(context.expr());
}

const builder = new ExpressionBuilder();
