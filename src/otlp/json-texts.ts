// Parses the JSON texts in the attributes of a span. All texts of a span together may hold as many values as the span itself; others
// stay text. Thus a span is mapped in a short turn of the event loop, whatever its texts hold.
import { RequestError } from '../errors.js';
import type { JsonValue } from '../json/json.js';
import { parseJson } from '../json/parse.js';
import { scanElement } from '../json/scan.js';
import { limits } from '../schema/limits.js';

/** The depth of a text in a stored event. */
const levelsAround = 3;

interface Texts {
  /** The results by text, since several rules may read one attribute. */
  readonly results: Map<string, JsonValue | undefined>;
  /** The number of values that further texts may hold. */
  left: number;
}

const noTexts = (): Texts => ({ results: new Map(), left: limits.spanValues.max });

/** The texts of the span that is being mapped. */
let texts = noTexts();

/** Runs `map`, which maps one span. */
export function withTextsOfSpan<T>(map: () => T): T {
  texts = noTexts();
  try {
    return map();
  } finally {
    texts = noTexts();
  }
}

/** The value of a JSON text of a span; undefined if it is invalid, or has too many values. */
export function parsed(text: string): JsonValue | undefined {
  const known = texts.results.get(text);
  if (known !== undefined || texts.results.has(text)) return known;
  const value = parse(text);
  texts.results.set(text, value);
  return value;
}

function parse(text: string): JsonValue | undefined {
  try {
    const values = { max: texts.left };
    const limited = { values, digits: limits.digits, name: () => 'attribute' };
    texts.left -= scanElement(Buffer.from(text), 0, limited).values;
    return parseJson(text, 'attribute', {
      levels: levelsAround,
      position: () => ({ line: 0, column: 0 }),
    });
  } catch (error) {
    if (error instanceof RequestError) return undefined;
    throw error;
  }
}
