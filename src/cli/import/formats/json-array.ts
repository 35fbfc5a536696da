// A JSON array of objects, an element at a time.
import { isSpace, JsonStrings } from './json-strings.js';
import { charactersOf, RowError, type Bytes, type Row } from '../row.js';

export async function* readJsonArray(bytes: Bytes): AsyncGenerator<Row> {
  let line = 1;
  let startLine = 1;
  let element = '';
  let depth = 0;
  const strings = new JsonStrings();
  let hasComma = false;
  const taken = (): Row => {
    const row = { text: element.trim(), line: startLine };
    element = '';
    if (row.text === '') throw new RowError(`line ${line}`, 'an element of the array is missing');
    return row;
  };
  for await (const part of charactersOf(bytes)) {
    let from = 0;
    for (let at = 0; at < part.length; at += 1) {
      const character = part[at]!;
      if (character === '\n') line += 1;
      if (depth > 0 && strings.take(character)) continue;
      if (depth === 0) {
        if (isSpace(character)) continue;
        if (character !== '[' || startLine < 0)
          throw new RowError(`line ${line}`, 'expected one JSON array');
        depth = 1;
        from = at + 1;
        startLine = line;
      } else if (character === '[' || character === '{') {
        if (depth === 1) startLine = line;
        depth += 1;
      } else if (depth === 1 && (character === ',' || character === ']')) {
        element += part.slice(from, at);
        from = at + 1;
        if (character === ',') {
          yield taken();
          hasComma = true;
        } else {
          if (hasComma || element.trim() !== '') yield taken();
          depth = 0;
          startLine = -1;
        }
      } else if (character === ']' || character === '}') depth -= 1;
    }
    if (depth > 0) element += part.slice(from);
  }
  if (depth > 0) throw new RowError(`line ${line}`, 'the array has no end');
}
