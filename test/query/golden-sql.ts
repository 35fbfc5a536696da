// The SQL of golden transcripts, laid out so that a diff of it can be read: a clause and a column a line.
import { duckdb, formatDialect } from 'sql-formatter';

const layout = {
  dialect: duckdb,
  paramTypes: { numbered: ['$'] },
  expressionWidth: 100,
} as const satisfies Parameters<typeof formatDialect>[1];

/** Strings, quoted names, words and signs, without the spaces between them. */
const tokensOf = (text: string): string =>
  (text.match(/'(?:[^']|'')*'|"(?:[^"]|"")*"|[\w$.]+|\S/g) ?? []).join(' ');

/** Whether the texts differ in the spaces between tokens alone. */
export const isSameSql = (left: string, right: string): boolean =>
  tokensOf(left) === tokensOf(right);

/** @throws Error when the layout would change more than spaces */
export function laidOut(text: string): string {
  const formatted = formatDialect(text, layout);
  if (!isSameSql(formatted, text)) throw new Error(`the layout changes the SQL:\n${text}`);
  return formatted;
}
