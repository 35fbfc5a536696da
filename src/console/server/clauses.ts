// Builds the text of queries from clauses. Queries are never parsed.

/** The source of rows. */
export interface Source {
  readonly kind: 'project_logs' | 'experiment' | 'dataset';
  /** The id of the object; for logs, of the project. */
  readonly id: string;
}

/** The field that identifies a row in a table: a row is a record of a dataset, or else a trace. */
export const keyFieldOf = ({ kind }: Source): 'id' | 'root_span_id' =>
  kind === 'dataset' ? 'id' : 'root_span_id';

export type ClauseName =
  | 'infer'
  | 'select'
  | 'dimensions'
  | 'measures'
  | 'from'
  | 'filter'
  | 'unpivot'
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

/** A list of string literals. */
export const listed = (texts: readonly string[]): string => `[${texts.map(quoted).join(', ')}]`;

/** A name after a dot. */
export const quotedName = (name: string): string =>
  `"${name.replaceAll('\\', '\\\\').replaceAll('"', '""')}"`;

export const sourceText = ({ kind, id }: Source): string => `${kind}(${quoted(id)})`;

/** The conjunction of the conditions. A line break ends a comment in one of them. */
export const allOf = (...conditions: readonly (string | null)[]): string | undefined => {
  const given = conditions.filter((one) => one !== null && one.trim() !== '');
  if (given.length < 2) return given[0] ?? undefined;
  return given.map((one) => `(${one!.trim()}${one!.includes('--') ? '\n' : ''})`).join(' and ');
};

/** Omits clauses without a value. */
export const textOf = (clauses: Clauses): string =>
  Object.entries(clauses)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
