// Limits the texts in a JSON query: its strings and names together, and the query text inside it.
import { QueryError } from '../../../errors.js';
import type { JsonValue } from '../../../json/json.js';
import { isJsonObject, memberOf, membersOf } from '../../../json/tree.js';
import { limits } from '../limits.js';
import { countTokens } from '../parse.js';

interface Counts {
  characters: number;
  texts: number;
  tokens: number;
}

/**
 * Checks the texts before they are parsed, since parsing takes time for each of them.
 * @throws QueryError at the first text beyond a limit
 */
export function checkTexts(query: JsonValue): void {
  const counts: Counts = { characters: 0, texts: 0, tokens: 0 };
  walk(query, 'query', counts, addText);
}

/**
 * Checks the length of all strings and names alone, in a few milliseconds.
 * @throws QueryError
 */
export const checkCharacters = (query: JsonValue): void =>
  walk(query, 'query', { characters: 0, texts: 0, tokens: 0 }, () => {});

function walk(value: JsonValue, path: string, counts: Counts, onText: typeof addText): void {
  if (typeof value === 'string') addCharacters(value, counts);
  else if (Array.isArray(value)) {
    for (const [index, part] of (value as readonly JsonValue[]).entries())
      walk(part, `${path}[${index}]`, counts, onText);
  } else if (isJsonObject(value)) {
    const isConstant = memberOf(value, 'op') === 'literal';
    for (const [name, part] of membersOf(value)) {
      addCharacters(name, counts);
      walk(part, `${path}.${name}`, counts, onText);
      if (name === 'btql' && typeof part === 'string' && !isConstant)
        onText(part, `${path}.${name}`, counts);
    }
  }
}

function addCharacters({ length }: string, counts: Counts): void {
  counts.characters += length;
  if (counts.characters > limits.characters)
    throw new QueryError(
      { path: 'query' },
      `its strings and names have more than ${limits.characters} characters`,
    );
}

function addText(text: string, path: string, counts: Counts): void {
  counts.texts += 1;
  if (counts.texts > limits.texts)
    throw new QueryError({ path }, `more than ${limits.texts} texts: write expressions as JSON`);
  counts.tokens += countTokens(text, path);
  if (counts.tokens > limits.tokens)
    throw new QueryError({ path }, `the texts of the query have more than ${limits.tokens} tokens`);
}
