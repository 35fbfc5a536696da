// Quotes and unquotes strings and names of the query language.

/** The content of a quoted token; a backslash before anything but a quote or itself is kept. */
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

/** Only backslashes that would escape what follows need doubling; doubling all is as good. */
const escaped = (text: string): string => text.replaceAll('\\', '\\\\');
