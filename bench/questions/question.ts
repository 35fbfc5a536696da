// The form of a question: one meaning, in the language of each kind of contender.

/** How the values of a column are compared; `json` columns arrive as JSON text. */
export type ColumnType = 'text' | 'number' | 'time' | 'json';

export type QuestionGroup = 'analytic' | 'search' | 'lookup' | 'export' | 'comparison';

/** `{id}` and `{trace}` in the texts stand for the sample of the round. */
export interface Question {
  readonly name: string;
  readonly group: QuestionGroup;
  readonly title: string;
  readonly columns: Readonly<Record<string, ColumnType>>;
  /** The order of the rows is part of the answer. */
  readonly isOrdered?: true;
  /** Without its `from` clause. */
  readonly evalstore: string;
  /** Over the relation `event` with its leaf columns, like the other two. */
  readonly duckdb: string;
  readonly clickhouse: string;
  readonly postgres: string;
}

/** An event that exists, for the questions about a given row or trace. */
export interface Sample {
  readonly id: string;
  readonly trace: string;
}

const fill = (text: string, { id, trace }: Sample): string =>
  text.replaceAll('{id}', id).replaceAll('{trace}', trace);

export const withSample = (question: Question, sample: Sample): Question => ({
  ...question,
  evalstore: fill(question.evalstore, sample),
  duckdb: fill(question.duckdb, sample),
  clickhouse: fill(question.clickhouse, sample),
  postgres: fill(question.postgres, sample),
});

/** The same SQL in all dialects. */
export const standard = (sql: string) => ({ duckdb: sql, clickhouse: sql, postgres: sql });
