// Statements of Trino as text. Its protocol takes no parameters, so here alone the values of a statement become literals.
import type { Sql, SqlValue } from '../../duckdb/sql.js';

/** A query, or a part of one, that is not compiled for Trino. The message is the reason. */
export class Declined extends Error {}

/** @throws Declined for what declines */
export function decline(reason: string): never {
  throw new Declined(reason);
}

/** @throws Declined for a value that no literal has */
export const statementText = ({ parts }: Sql): string =>
  parts.map((part) => (typeof part === 'string' ? part : literal(part.value))).join('');

function literal(value: SqlValue): string {
  switch (typeof value) {
    case 'string':
      return textLiteral(value);
    case 'number':
      return numberLiteral(value);
    case 'bigint':
      return String(value);
    case 'boolean':
      return String(value);
    default:
      return value === null ? 'NULL' : decline('a list of values');
  }
}

/** The shortest text of the double, which Java reads as the same double. */
function numberLiteral(value: number): string {
  if (Number.isFinite(value)) return `DOUBLE '${value}'`;
  return value > 0 ? 'infinity()' : '-infinity()';
}

/** Printable ASCII as it is; any other text by code points, so that no byte of it depends on an encoding. */
function textLiteral(text: string): string {
  if (/\p{Cs}/u.test(text)) return decline('a text with half a character');
  if (/^[ -~]*$/.test(text)) return `'${text.replaceAll("'", "''")}'`;
  return `U&'${Array.from(text, escaped).join('')}'`;
}

function escaped(character: string): string {
  if (character === "'" || character === '\\') return character + character;
  if (/^[ -~]$/.test(character)) return character;
  const code = (character.codePointAt(0) ?? 0).toString(16);
  return code.length > 4 ? `\\+${code.padStart(6, '0')}` : `\\${code.padStart(4, '0')}`;
}
