// JSON Lines: an object on each line. Empty lines are skipped.
import { charactersOf, RowError, type Bytes, type Row } from '../row.js';

/** Characters of a line; more is no JSON Lines. */
const lineMax = 2 ** 28;

export async function* readJsonLines(bytes: Bytes): AsyncGenerator<Row> {
  let rest = '';
  let line = 0;
  for await (const part of charactersOf(bytes)) {
    const lines = (rest + part).split('\n');
    rest = lines.pop()!;
    if (rest.length > lineMax) throw new RowError(`line ${line + 1}`, 'the line has no end');
    for (const text of lines) {
      line += 1;
      if (text.trim() !== '') yield { text, line };
    }
  }
  if (rest.trim() !== '') yield { text: rest, line: line + 1 };
}
