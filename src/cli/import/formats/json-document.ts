// One JSON document, as one row.
import { charactersOf, RowError, type Bytes, type Row } from '../row.js';

/** Characters of a document, which is in memory as a whole. */
const charactersMax = 2 ** 28;

export async function* readJsonDocument(bytes: Bytes): AsyncGenerator<Row> {
  let text = '';
  for await (const part of charactersOf(bytes)) {
    text += part;
    if (text.length > charactersMax)
      throw new RowError(null, `a document has at most ${charactersMax / 2 ** 20} M characters`);
  }
  yield { text, line: 1 };
}
