// Checks a query before it runs, and finds the position of an error.

const limitClause = /(?:^|[\n|])\s*limit\s*:/i;
/** A line that ends in a limit, with no comment before it. */
const lastLimit = /^(?:(?:(?!--).)*\|)?\s*limit\s*:\s*\d+$/i;
/** After white space and comments. A comment is matched with its line break, so that dashes match in one way only. */
const isSql = /^(?:\s|--[^\r\n]*[\r\n])*select\s(?!\s*:)/i;

/** The same query with `limit: 0`; null if it cannot be checked this way. */
export const checkable = (text: string): string | null => {
  if (text.trim() === '' || isSql.test(text)) return null;
  if (!limitClause.test(text)) return `${text}\nlimit: 0`;
  const trimmed = text.trimEnd();
  const start = trimmed.lastIndexOf('\n') + 1;
  const [before, line] = [trimmed.slice(0, start), trimmed.slice(start)];
  return lastLimit.test(line) ? before + line.replace(/\d+$/, '0') : null;
};

export interface ErrorPosition {
  /** Line and column from 1. */
  readonly line: number;
  readonly column: number;
}

export function positionOfError(message: string): ErrorPosition | null {
  const found = /line (\d+), column (\d+)/.exec(message);
  return found === null ? null : { line: Number(found[1]), column: Number(found[2]) };
}
