// The name of a column without alias.
import type { Expr } from '../syntax/ast.js';

/** A path is named by its last part, anything else by its text. */
export function columnName(expression: Expr, text: string): string {
  if (expression.kind !== 'path') return text.replaceAll(/\s+/g, ' ');
  const names = expression.steps.filter((step) => typeof step === 'string');
  return names.at(-1) ?? text;
}
