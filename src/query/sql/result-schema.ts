// The JSON schema of a result, from the kinds of its values.
import type { OutputColumn } from './output.js';

const jsonTypes: Readonly<Record<string, object>> = {
  b: { type: 'boolean' },
  i: { type: 'integer' },
  d: { type: 'number' },
  s: { type: 'string' },
  t: { type: 'string', format: 'date-time' },
};

/** The schema of a column; `{}`, which permits any value, for mixed kinds, arrays, objects and columns without values. */
function columnSchema(kinds: ReadonlySet<string>): object {
  const numeric = kinds.size === 2 && kinds.has('i') && kinds.has('d');
  if (numeric) return { type: 'number' };
  const [only] = kinds;
  return kinds.size === 1 && only !== undefined ? (jsonTypes[only] ?? {}) : {};
}

/** @param kinds the distinct strings of kinds of the rows, one letter per column */
export function resultSchema(columns: readonly OutputColumn[], kinds: ReadonlySet<string>): object {
  const properties = columns.map(({ name }, index) => {
    const present = new Set([...kinds].map((row) => row[index] ?? 'n'));
    present.delete('n');
    return [name, columnSchema(present)] as const;
  });
  return { type: 'array', items: { type: 'object', properties: Object.fromEntries(properties) } };
}
