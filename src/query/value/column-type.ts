// The types of columns in files that follow from an expression, whatever its values are.
import type { ColumnType } from '../bound/column-type.js';
import { scalarKind, type Kind, type Value } from './value.js';

const typeOfKind: Partial<Record<Kind, ColumnType>> = {
  boolean: 'BOOLEAN',
  number: 'DOUBLE',
  string: 'VARCHAR',
  timestamp: 'TIMESTAMPTZ',
};

const isNested = (kind: Kind): boolean => kind === 'array' || kind === 'object';

/** Null if the type follows from the values. */
export function columnType(value: Value): ColumnType | null {
  if (value.type !== undefined) return value.type;
  if (value.strings !== undefined) return 'VARCHAR[]';
  if (value.kinds.length > 0 && value.kinds.every(isNested)) return 'JSON';
  const kind = scalarKind(value);
  return kind === null ? null : (typeOfKind[kind] ?? null);
}

type Typed = Pick<Value, 'type'>;

const typed = (type: ColumnType | null): Typed => (type === null ? {} : { type });

/** The type of `value`, for a value that is computed from it. */
export const typeOf = (value: Value): Typed => typed(columnType(value));

const areNumbers = (types: readonly (ColumnType | null)[]): boolean =>
  types.every((type) => type === 'BIGINT' || type === 'DOUBLE');

/** The type that one of the values has. Null counts for nothing, and integers among other numbers are DOUBLE. */
export function commonType(values: readonly Value[]): Typed {
  const types = values.filter(({ kinds }) => kinds.length > 0).map(columnType);
  const [first = null, ...others] = [...new Set(types)];
  if (others.length === 0) return typed(first);
  return areNumbers([first, ...others]) ? { type: 'DOUBLE' } : {};
}
