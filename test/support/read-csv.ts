// CSV with quotes as RFC 4180 has them: cells, or null for what is empty without quotes.

const cell = /("(?:[^"]|"")*"|[^",\n\r]*)(,|\r?\n|$)/gy;

export function readCsv(text: string): readonly (readonly (string | null)[])[] {
  const rows: (string | null)[][] = [[]];
  for (const [, content = '', end] of text.matchAll(cell)) {
    const isQuoted = content.startsWith('"');
    const value = isQuoted ? content.slice(1, -1).replaceAll('""', '"') : content;
    rows.at(-1)?.push(value === '' && !isQuoted ? null : value);
    if (end === '') break;
    if (end !== ',') rows.push([]);
  }
  return rows.slice(0, -1);
}
