// Builds the AST of an expression from its parse tree, with one method per labelled alternative of the grammar.
import { TerminalNode, type Token } from 'antlr4ng';
import { QueryError } from '../../errors.js';
import { intervalUnits, type BinaryOperator, type Expr, type Position, type Step } from './ast.js';
import { buildLiteral } from './build-literal.js';
import {
  BinaryExprContext,
  type BetweenExprContext,
  IndexStepContext,
  KeyStepContext,
  QuotedStepContext,
  type CallPrimaryContext,
  type CasePrimaryContext,
  type CastPrimaryContext,
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
import { positionOf, positionOfToken } from './position.js';
import { unquoted } from './quoting.js';
import { getBetween, getCase, getCast } from './build-sql-expression.js';
import { negated, sameValue } from './canonical-nodes.js';

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

/** The operator is the token before the right operand. */
function operatorOf(context: InfixContext): Token | null {
  const node = context.getChild(context.getChildCount() - 2);
  return node instanceof TerminalNode ? node.symbol : null;
}

/** Long chains are left-deep and walked in a loop, so that the stack does not limit them. */
function getBinary(context: InfixContext): Expr {
  const chain: InfixContext[] = [context];
  let left = context.expr(0);
  while (left instanceof BinaryExprContext) {
    chain.push(left);
    left = left.expr(0);
  }
  if (chain.length > limits.operatorsInARow || left === null) {
    const reason = `more than ${limits.operatorsInARow} operators in a row: use 'in' for long lists`;
    throw new QueryError(positionOf(context), reason);
  }
  return chain.reduceRight((built, each) => getInfix(each, built), buildExpression(left));
}

function getInfix(context: InfixContext, left: Expr): Expr {
  const token = operatorOf(context);
  const text = token?.text?.toLowerCase() ?? '';
  const operator = binaryOperators[text] ?? (text as BinaryOperator);
  const right = operand(context.expr(), 1);
  const at = positionOfToken(token);
  return operator === '<=>'
    ? sameValue(left, right, at)
    : { kind: 'binary', operator, left, right, at };
}

const negatedIf = (negated: boolean, expression: Expr): Expr =>
  negated ? { kind: 'unary', operator: 'not', operand: expression, at: expression.at } : expression;

const getNegation = (context: NegateExprContext): Expr =>
  negated(buildExpression(context.expr()), positionOf(context));

function getCall(context: CallPrimaryContext): Expr {
  const name = context.callee().getText().toLowerCase();
  const distinct = context.DISTINCT();
  if (distinct !== null && name !== 'count')
    throw new QueryError(positionOfToken(distinct.symbol), 'DISTINCT is allowed in count only');
  return {
    kind: 'call',
    name: distinct === null ? name : 'count_distinct',
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
    const reason =
      unit === undefined
        ? `unknown interval unit '${context.word().getText()}': expected one of ${intervalUnits.join(', ')}`
        : `interval: expected a whole number of ${unit}s up to 1000000000, got ${token.getText()}`;
    throw new QueryError(positionOf(context), reason);
  }
  return { kind: 'interval', count, unit, at: positionOf(context) };
}

function getPath(head: string, steps: readonly StepContext[], at: Position): Expr {
  const excess = steps[limits.pathSteps];
  if (excess !== undefined) {
    throw new QueryError(
      positionOf(excess),
      `a path has more than ${limits.pathSteps} parts below its field`,
    );
  }
  return { kind: 'path', steps: [head, ...steps.map(getStep)], at };
}

function getStep(step: StepContext): Step {
  if (step instanceof IndexStepContext) return getIndex(step);
  const text = step.getChild(1)?.getText() ?? '';
  const isQuoted = step instanceof QuotedStepContext || step instanceof KeyStepContext;
  return isQuoted ? unquoted(text) : text;
}

function getIndex(step: IndexStepContext): number {
  const digits = step.NUMBER().getText();
  if (!/^\d{1,9}$/.test(digits)) {
    throw new QueryError(positionOf(step), `index: expected an integer, got ${digits}`);
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

  override visitBetweenExpr = (context: BetweenExprContext): Expr =>
    negatedIf(context.NOT() !== null, getBetween(context, buildExpression));

  override visitCasePrimary = (context: CasePrimaryContext) => getCase(context, buildExpression);

  override visitCastPrimary = (context: CastPrimaryContext) => getCast(context, buildExpression);

  override visitIntervalPrimary = getInterval;

  override visitCallPrimary = getCall;

  override visitPathPrimary = (context: PathPrimaryContext) =>
    getPath(context.name().getText(), context.step(), positionOf(context));

  override visitQuotedPathPrimary = (context: QuotedPathPrimaryContext) =>
    getPath(unquoted(context.DOUBLE_QUOTED().getText()), context.step(), positionOf(context));

  override visitParenPrimary = (context: ParenPrimaryContext) => buildExpression(context.expr());
}

const builder = new ExpressionBuilder();
