// The JSON in an object's row: the whole text, or, for large objects, only the fields that the catalog searches.
import { stringifyJson } from '../json/stringify.js';
import { inRowBytesMax, type BodyFiles, type WrittenFile } from './body-files.js';
import type { ObjectFields } from './header.js';

export interface RowBody {
  readonly text: string;
  /** The name of the file with the whole text; null if `text` is the whole text. */
  readonly file: string | null;
}

/** The fields of `selectByCommit` and `selectByFunctionType`. */
const queriedFields: ReadonlySet<string> = new Set(['commit', 'function_type']);

/** Objects are not found by values that are too long for a row. */
function queriedText(fields: ObjectFields): string {
  const text = stringifyJson(new Map([...fields].filter(([name]) => queriedFields.has(name))));
  return Buffer.byteLength(text) > inRowBytesMax ? '{}' : text;
}

/**
 * Writes the file of a large text.
 * @param written gets the file
 */
export async function toRowBody(
  files: BodyFiles,
  { body, fields }: { readonly body: string; readonly fields: ObjectFields },
  written: WrittenFile[],
): Promise<RowBody> {
  if (Buffer.byteLength(body) <= inRowBytesMax) return { text: body, file: null };
  const file = await files.write(body);
  written.push(file);
  return { text: queriedText(fields), file: file.name };
}
