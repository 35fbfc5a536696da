// Builds constants from their parse trees.
import { QueryError } from '../../errors.js';
import type { LiteralValue } from './ast.js';
import {
  ArrayLiteralContext,
  FalseLiteralContext,
  NullLiteralContext,
  NumberLiteralContext,
  ObjectLiteralContext,
  StringLiteralContext,
  TrueLiteralContext,
  type ElementContext,
  type LiteralContext,
  type MemberContext,
} from '../generated/QueryParser.js';
import { positionOfToken } from './position.js';
import { unquoted } from './quoting.js';

export function buildLiteral(context: LiteralContext): LiteralValue {
  if (context instanceof NullLiteralContext) return null;
  if (context instanceof TrueLiteralContext) return true;
  if (context instanceof FalseLiteralContext) return false;
  if (context instanceof StringLiteralContext) return unquoted(context.getText());
  if (context instanceof NumberLiteralContext) return getNumber(context);
  if (context instanceof ArrayLiteralContext) return context.element().map(getElement);
  if (context instanceof ObjectLiteralContext) return new Map(context.member().map(getMember));
  throw new Error(`no value for ${context.getText()}`);
}

function getNumber(context: NumberLiteralContext | ElementContext): number {
  const token = context.NUMBER();
  const text = token?.getText() ?? '';
  const value = Number(context.PERCENT_SUFFIX() === null ? text : shifted(text));
  if (!Number.isFinite(value)) {
    throw new QueryError(positionOfToken(token?.symbol), `number ${text} is too large`);
  }
  return value;
}

/** Divides by 100 and rounds once; `Number('7') / 100` would round twice. */
function shifted(text: string): string {
  const [digits, exponent = '0'] = text.toLowerCase().split('e');
  return `${digits}e${Number(exponent) - 2}`;
}

function getElement(context: ElementContext): LiteralValue {
  const literal = context.literal();
  return literal === null ? -getNumber(context) : buildLiteral(literal);
}

function getMember(context: MemberContext): [string, LiteralValue] {
  const quoted = context.SINGLE_QUOTED() ?? context.DOUBLE_QUOTED();
  const key = quoted === null ? (context.getChild(0)?.getText() ?? '') : unquoted(quoted.getText());
  return [key, getElement(context.element())];
}
