// The text of queries: clauses that are joined, never parsed back.

/** What rows are read from. */
export interface Source {
  readonly kind: 'project_logs' | 'experiment' | 'dataset';
  /** Of the project, where the rows are its logs. */
  readonly id: string;
}

export type ClauseName =
  | 'infer'
  | 'select'
  | 'dimensions'
  | 'measures'
  | 'from'
  | 'filter'
  | 'trace_filter'
  | 'final_filter'
  | 'sort'
  | 'preview_length'
  | 'limit'
  | 'cursor';

export type Clauses = Readonly<Partial<Record<ClauseName, string>>>;

/** A string literal of the query language. */
export const quoted = (text: string): string =>
  `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;

/** A name behind a dot. */
export const quotedName = (name: string): string =>
  `"${name.replaceAll('\\', '\\\\').replaceAll('"', '""')}"`;

export const sourceText = ({ kind, id }: Source): string => `${kind}(${quoted(id)})`;

/** The conditions together. A line break ends a comment that one of them may hold. */
export const allOf = (...conditions: readonly (string | null)[]): string | undefined => {
  const given = conditions.filter((one) => one !== null && one.trim() !== '');
  if (given.length < 2) return given[0] ?? undefined;
  return given.map((one) => `(${one!.trim()}${one!.includes('--') ? '\n' : ''})`).join(' and ');
};

/** Clauses without a value are left out. */
export const textOf = (clauses: Clauses): string =>
  Object.entries(clauses)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
