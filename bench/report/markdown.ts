// Rows -> a table in Markdown.

export type Cell = string | number | null;

const numberText = (value: number): string => {
  if (!Number.isFinite(value)) return '–';
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en-US');
  return String(Number(value.toPrecision(3)));
};

const cellText = (cell: Cell): string => {
  if (cell === null) return '–';
  return typeof cell === 'number' ? numberText(cell) : cell.replaceAll('|', '\\|');
};

const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

/** Numbers with three significant digits, whole from 100 on; null is a dash. */
export function table(header: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const isNumeric = header.map((_, column) => rows.every((row) => typeof row[column] !== 'string'));
  const rule = isNumeric.map((numeric) => (numeric ? '---:' : '---'));
  return [line(header), line(rule), ...rows.map((row) => line(row.map(cellText)))].join('\n');
}

/** A row that begins with its title. */
export const titled = (title: string, cells: readonly Cell[]): readonly Cell[] => [title, ...cells];

export const section = (title: string, ...parts: readonly (string | null)[]): string =>
  [`## ${title}`, ...parts.filter((part) => part !== null && part !== '')].join('\n\n');
