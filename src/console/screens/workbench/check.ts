// Checks a query before it runs, and finds the position of an error.

const limitClause = /(?:^|[\n|])\s*limit\s*:/i;
/** After white space and comments. */
const isSql = /^(?:\s|--.*)*select\s(?!\s*:)/i;

/** The same query with `limit: 0`; null if it cannot be checked this way. */
export const checkable = (text: string): string | null => {
  if (text.trim() === '' || limitClause.test(text)) return null;
  if (isSql.test(text)) return null;
  return `${text}\nlimit: 0`;
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
