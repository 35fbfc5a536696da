// Reads constants of a JSON query.
import type { JsonValue } from '../../../json/json.js';
import { doubleOf, isJsonObject, membersOf } from '../../../json/tree.js';
import type { LiteralValue } from '../ast.js';
import { limits } from '../limits.js';
import { fail, type JsonPart } from './node.js';

/** @param depth the number of enclosing levels of the query */
export function literalOf(part: JsonPart, depth: number): LiteralValue {
  const build = (value: JsonValue, level: number): LiteralValue => {
    if (level > limits.nesting)
      fail(part, `the value is nested deeper than ${limits.nesting} levels`);
    const number = doubleOf(value);
    if (number !== null) return finite(part, number);
    if (Array.isArray(value))
      return (value as readonly JsonValue[]).map((element) => build(element, level + 1));
    if (!isJsonObject(value)) return value as LiteralValue;
    return new Map(
      Array.from(membersOf(value), ([key, member]) => [key, build(member, level + 1)] as const),
    );
  };
  return build(part.value, depth);
}

function finite(part: JsonPart, number: number): number {
  if (!Number.isFinite(number)) fail(part, 'the number is too large');
  return number;
}
