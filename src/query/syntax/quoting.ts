// Quotes and unquotes strings and names of the query language.

/** The content of a quoted token. A backslash escapes a quote or a backslash; before other characters it is kept. */
export function unquoted(token: string): string {
  const quote = token.charAt(0);
  return token
    .slice(1, -1)
    .replaceAll(/\\[\\'"]|''|""/g, (pair) =>
      pair.startsWith('\\') || pair.startsWith(quote) ? pair.charAt(1) : pair,
    );
}

export const singleQuoted = (text: string): string => `'${escaped(text).replaceAll("'", "''")}'`;

export const doubleQuoted = (text: string): string => `"${escaped(text).replaceAll('"', '""')}"`;

/** Doubles all backslashes, although only those that would escape the next character need it. */
const escaped = (text: string): string => text.replaceAll('\\', '\\\\');
