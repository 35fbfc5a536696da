// Parses the JSON texts in the attributes of a span. All texts of a span together may hold as many values as the span itself; others
// stay text. Thus they cannot make many more values than the span has; the time to parse them grows with the size of the span.
import { RequestError } from '../errors.js';
import type { JsonValue } from '../json/json.js';
import { parseJson } from '../json/parse.js';
import { scanElement } from '../json/scan.js';
import { limits } from '../schema/limits.js';

/** The depth of a text in a stored event. */
const levelsAround = 3;

/** The value of a JSON text of a span; undefined if it is invalid, or has too many values. */
export type ParseText = (text: string) => JsonValue | undefined;

/** A parser for the texts of one span. It keeps the results, since several rules may read one attribute. */
export function textParser(): ParseText {
  const results = new Map<string, JsonValue | undefined>();
  let left: number = limits.spanValues.max;
  const spend = (values: number) => (left -= values);
  return (text) => {
    if (!results.has(text)) results.set(text, parse(text, left, spend));
    return results.get(text);
  };
}

function parse(text: string, valuesMax: number, spend: (values: number) => void) {
  try {
    const limited = { values: { max: valuesMax }, digits: limits.digits, name: () => 'attribute' };
    spend(scanElement(Buffer.from(text), 0, limited).values);
    return parseJson(text, 'attribute', {
      levels: levelsAround,
      position: () => ({ line: 0, column: 0 }),
    });
  } catch (error) {
    if (error instanceof RequestError) return undefined;
    throw error;
  }
}
