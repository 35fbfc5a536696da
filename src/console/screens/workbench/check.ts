// How a query is checked before it is run, and where a refusal says that it is wrong.

const limitClause = /(?:^|[\n|])\s*limit\s*:/i;
const isSql = /^\s*select\s(?!\s*:)/i;

/** The same query for no rows; null for what cannot be checked so. */
export const checkable = (text: string): string | null => {
  if (text.trim() === '' || limitClause.test(text)) return null;
  if (isSql.test(text)) return null;
  return `${text}\nlimit: 0`;
};

export interface ErrorPlace {
  /** Both from 1. */
  readonly line: number;
  readonly column: number;
}

export function placeOfError(message: string): ErrorPlace | null {
  const found = /line (\d+), column (\d+)/.exec(message);
  return found === null ? null : { line: Number(found[1]), column: Number(found[2]) };
}
