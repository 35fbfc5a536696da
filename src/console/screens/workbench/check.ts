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
  /** Line and column from 1; the column counts code points. */
  readonly line: number;
  readonly column: number;
}

export function positionOfError(message: string): ErrorPosition | null {
  const found = /line (\d+), column (\d+)/.exec(message);
  return found === null ? null : { line: Number(found[1]), column: Number(found[2]) };
}

/** A line before, at and after the name or the character at a column. */
export function partsAt(line: string, column: number): readonly [string, string, string] {
  const characters = Array.from(line);
  const rest = characters.slice(column - 1).join('');
  const marked = /^(?:\w+|.)/u.exec(rest)?.[0] ?? '';
  return [characters.slice(0, column - 1).join(''), marked, rest.slice(marked.length)];
}
