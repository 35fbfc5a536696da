// JSON objects, one after the other with nothing but white space between them: lines, or one indented document.
import { isSpace, JsonStrings } from './json-strings.js';
import { charactersOf, RowError, type Bytes, type Row } from '../row.js';

/** Characters of an object, which is in memory as a whole. */
const charactersMax = 2 ** 28;

/** The line of a row is that of its first character. */
export async function* readJsonDocuments(bytes: Bytes): AsyncGenerator<Row> {
  let line = 1;
  let startLine = 1;
  let text = '';
  let depth = 0;
  const strings = new JsonStrings();
  for await (const part of charactersOf(bytes)) {
    let from = 0;
    for (let at = 0; at < part.length; at += 1) {
      const character = part[at]!;
      if (character === '\n') line += 1;
      if (depth > 0 && strings.take(character)) continue;
      if (character === '{') {
        if (depth === 0) [from, startLine] = [at, line];
        depth += 1;
      } else if (character === '}' && depth > 0) {
        depth -= 1;
        if (depth === 0) {
          yield { text: text + part.slice(from, at + 1), line: startLine };
          text = '';
        }
      } else if (depth === 0 && !isSpace(character))
        throw new RowError(`line ${line}`, 'expected a JSON object');
    }
    if (depth > 0) text += part.slice(from);
    if (text.length > charactersMax)
      throw new RowError(
        `line ${startLine}`,
        `a document has at most ${charactersMax / 2 ** 20} M characters`,
      );
  }
  if (depth > 0) throw new RowError(`line ${startLine}`, 'the object has no end');
}
