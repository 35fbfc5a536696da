// What operands every operator and function of the language naturally takes, and what it gives.
import { bucketUnits } from './expression.js';
import type { Kind } from './evaluate.js';

/** `same` are of one kind, drawn anew each time; the others are constants of their own form. */
export type Slot =
  | Kind
  | 'any'
  | 'mixed'
  | 'same'
  | 'interval'
  | 'pattern'
  | 'words'
  | 'search'
  | 'unit'
  | 'json path';

export interface Signature {
  readonly op: string;
  readonly slots: readonly Slot[];
  /** `same` is the kind of the `same` operands. */
  readonly result: Kind | 'same';
  /** Operands may be left out or repeated at the end. */
  readonly isOpen?: boolean;
  /** Its operands cannot be timestamps beside other kinds: what the result would be is open. */
  readonly isMixing?: boolean;
}

const each = (
  ops: readonly string[],
  slots: readonly Slot[],
  result: Signature['result'],
): readonly Signature[] => ops.map((op) => ({ op, slots, result }));

export const signatures: readonly Signature[] = [
  ...each(['=', '<=>', '!=', '<>', '<', '<=', '>', '>='], ['same', 'same'], 'boolean'),
  ...each(['and', 'or'], ['boolean', 'boolean'], 'boolean'),
  ...each(['not'], ['boolean'], 'boolean'),
  ...each(['+', '-', '*', '/', '%'], ['number', 'number'], 'number'),
  ...each(['+', '-'], ['timestamp', 'interval'], 'timestamp'),
  ...each(['negate', 'round', 'abs', 'floor', 'ceil'], ['number'], 'number'),
  ...each(
    ['includes', 'contains', 'not includes', 'not contains', 'contains()'],
    ['array', 'any'],
    'boolean',
  ),
  ...each(['includes', 'not includes', 'contains()'], ['object', 'any'], 'boolean'),
  ...each(['like', 'not like', 'ilike', 'not ilike'], ['string', 'pattern'], 'boolean'),
  ...each(['match'], ['string', 'words'], 'boolean'),
  ...each(['is null', 'is not null'], ['any'], 'boolean'),
  { op: 'in', slots: ['same', 'same', 'same'], result: 'boolean', isOpen: true },
  { op: 'not in', slots: ['same', 'same', 'same'], result: 'boolean', isOpen: true },
  { op: '?:', slots: ['boolean', 'same', 'same'], result: 'same', isMixing: true },
  { op: 'coalesce', slots: ['same', 'same'], result: 'same', isOpen: true, isMixing: true },
  { op: 'nullif', slots: ['same', 'same'], result: 'same', isMixing: true },
  { op: 'least', slots: ['same', 'same'], result: 'same', isOpen: true, isMixing: true },
  { op: 'greatest', slots: ['same', 'same'], result: 'same', isOpen: true, isMixing: true },
  ...each([...bucketUnits, 'to_date', 'to_datetime'], ['timestamp'], 'timestamp'),
  ...each(['date_trunc'], ['unit', 'timestamp'], 'timestamp'),
  ...each(['lower', 'upper'], ['string'], 'string'),
  { op: 'concat', slots: ['string', 'any'], result: 'string', isOpen: true },
  ...each(['len'], ['string'], 'number'),
  ...each(['len'], ['array'], 'number'),
  ...each(['json_extract'], ['object', 'json path'], 'number'),
  ...each(['to_string', 'hash'], ['any'], 'string'),
  ...each(['to_number', 'to_integer'], ['string'], 'number'),
  ...each(['to_boolean'], ['string'], 'boolean'),
  ...each(['search'], ['search'], 'boolean'),
];

export const aggregateNames = [
  ...(['count', 'count_distinct', 'sum', 'avg', 'stddev'] as const),
  ...(['min', 'max', 'percentile', 'any_value'] as const),
] as const;

/** Functions of nothing. */
export const clocks = ['now', 'current_timestamp', 'current_date'] as const;
