// CSV with a line of names. A cell is text; an empty one is absent.
import { Readable } from 'node:stream';
import papa from 'papaparse';
import type { JsonValue } from '../../../json/json.js';
import { stringifyJson } from '../../../json/stringify.js';
import { charactersOf, RowError, type Bytes, type Row } from '../row.js';

function namesOf(cells: readonly string[]): readonly string[] {
  const twice = cells.find((name, index) => cells.indexOf(name) !== index);
  if (twice !== undefined)
    throw new RowError('row 1', `two columns have the name ${JSON.stringify(twice)}`);
  return cells;
}

/** The number of a row counts the line of names. */
export async function* readCsv(bytes: Bytes): AsyncGenerator<Row> {
  const parser = Readable.from(charactersOf(bytes), { objectMode: false }).pipe(
    papa.parse(papa.NODE_STREAM_INPUT, { skipEmptyLines: true }),
  );
  let names: readonly string[] | null = null;
  let line = 0;
  for await (const cells of parser as AsyncIterable<readonly string[]>) {
    line += 1;
    if (names === null) {
      names = namesOf(cells);
      continue;
    }
    if (cells.length !== names.length)
      throw new RowError(
        `row ${line}`,
        `expected ${names.length} cells as in the line of names, got ${cells.length}`,
      );
    const row = new Map<string, JsonValue>();
    for (const [index, cell] of cells.entries()) if (cell !== '') row.set(names[index]!, cell);
    yield { text: stringifyJson(row), line };
  }
}
