// The JSON schema of a result, from the kinds of its values.
import type { OutputColumn } from './output.js';

const jsonTypes: Readonly<Record<string, object>> = {
  b: { type: 'boolean' },
  i: { type: 'integer' },
  l: { type: 'integer' },
  d: { type: 'number' },
  s: { type: 'string' },
  t: { type: 'string', format: 'date-time' },
};

/** The schema of a column; `{}`, which permits any value, for mixed kinds, arrays, objects and columns without values. */
function columnSchema(kinds: string): object {
  const present = kinds.replace('n', '');
  const isOf = (allowed: string) => Array.from(present).every((kind) => allowed.includes(kind));
  if (present.length > 1 && isOf('il')) return { type: 'integer' };
  if (present.length > 1 && isOf('ild')) return { type: 'number' };
  return jsonTypes[present] ?? {};
}

/** @param kinds the distinct kinds of the values of each column */
export function resultSchema(columns: readonly OutputColumn[], kinds: readonly string[]): object {
  const properties = columns.map(
    ({ name }, index) => [name, columnSchema(kinds[index] ?? '')] as const,
  );
  return { type: 'array', items: { type: 'object', properties: Object.fromEntries(properties) } };
}
