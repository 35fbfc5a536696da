// What the columns of a table are: an expression, and how its values are shown.
import type { Source } from '../../server/query.js';

export type ColumnKind = 'time' | 'name' | 'text' | 'scores' | 'duration' | 'tags' | 'value';

export interface Column {
  readonly expression: string;
  readonly label: string;
  readonly kind: ColumnKind;
  /** Of the grid's template. */
  readonly width: string;
}

const wide = 'minmax(12rem, 3fr)';

const known: readonly Column[] = [
  { expression: 'created', label: 'Created', kind: 'time', width: '10rem' },
  {
    expression: 'span_attributes.name',
    label: 'Name',
    kind: 'name',
    width: 'minmax(6rem, 1fr)',
  },
  { expression: 'input', label: 'Input', kind: 'text', width: wide },
  { expression: 'output', label: 'Output', kind: 'text', width: wide },
  { expression: 'expected', label: 'Expected', kind: 'text', width: wide },
  { expression: 'error', label: 'Error', kind: 'text', width: 'minmax(8rem, 1fr)' },
  { expression: 'scores', label: 'Scores', kind: 'scores', width: 'minmax(9rem, 1.5fr)' },
  { expression: 'metrics.duration', label: 'Duration', kind: 'duration', width: '6rem' },
  { expression: 'metrics.tokens', label: 'Tokens', kind: 'value', width: '6rem' },
  { expression: 'tags', label: 'Tags', kind: 'tags', width: 'minmax(7rem, 1fr)' },
  { expression: 'metadata', label: 'Metadata', kind: 'text', width: 'minmax(8rem, 1fr)' },
];

const byExpression = new Map(known.map((column) => [column.expression, column]));

const usual = {
  project_logs:
    'created span_attributes.name input output scores metrics.duration metrics.tokens tags',
  experiment: 'created input output expected scores metrics.duration tags',
  dataset: 'created input expected metadata tags',
} as const;

export const usualColumns = ({ kind }: Source): readonly string[] => usual[kind].split(' ');

export const columnOf = (expression: string): Column =>
  byExpression.get(expression) ?? {
    expression,
    label: expression,
    kind: 'value',
    width: 'minmax(7rem, 1fr)',
  };
