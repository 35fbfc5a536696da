// The columns of a table: an expression and the display of its values.
import type { Source } from '../../server/clauses.js';

export type ColumnKind = 'time' | 'name' | 'text' | 'scores' | 'duration' | 'tags' | 'value';

export interface Column {
  readonly expression: string;
  readonly label: string;
  readonly kind: ColumnKind;
  /** The width in the grid template. */
  readonly width: string;
}

const wide = 'minmax(9rem, 3fr)';

const known: readonly Column[] = [
  { expression: 'created', label: 'Created', kind: 'time', width: '9.75rem' },
  {
    expression: 'span_attributes.name',
    label: 'Name',
    kind: 'name',
    width: 'minmax(5rem, 1fr)',
  },
  { expression: 'input', label: 'Input', kind: 'text', width: wide },
  { expression: 'output', label: 'Output', kind: 'text', width: wide },
  { expression: 'expected', label: 'Expected', kind: 'text', width: wide },
  { expression: 'error', label: 'Error', kind: 'text', width: 'minmax(8rem, 1fr)' },
  { expression: 'scores', label: 'Scores', kind: 'scores', width: 'minmax(9rem, 2.5fr)' },
  { expression: 'metrics.duration', label: 'Duration', kind: 'duration', width: '6.75rem' },
  { expression: 'metrics.total_tokens', label: 'Tokens', kind: 'value', width: '5.5rem' },
  { expression: 'tags', label: 'Tags', kind: 'tags', width: 'minmax(5rem, 0.7fr)' },
  { expression: 'metadata', label: 'Metadata', kind: 'text', width: 'minmax(8rem, 1fr)' },
];

const byExpression = new Map(known.map((column) => [column.expression, column]));

const usual = {
  project_logs:
    'created span_attributes.name input output scores metrics.duration metrics.total_tokens tags',
  experiment: 'created input output expected scores metrics.duration tags',
  dataset: 'created input expected metadata tags',
} as const;

export const defaultColumns = ({ kind }: Source): readonly string[] => usual[kind].split(' ');

export const columnOf = (expression: string): Column =>
  byExpression.get(expression) ?? {
    expression,
    label: expression,
    kind: 'value',
    width: 'minmax(7rem, 1fr)',
  };
