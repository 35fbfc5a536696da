// `evalstore query`: prints the rows of a query, or writes them to a file.
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { text as textOf } from 'node:stream/consumers';
import type { JsonObject, JsonValue } from '../json/json.js';
import { parseJson } from '../json/parse.js';
import { stringifyJson } from '../json/stringify.js';
import { membersOf, memberOf } from '../json/tree.js';
import { connect } from './connection.js';
import { UsageError, type Context } from './context.js';
import { outputFormats, type QueryOptions } from './output-format.js';
import { formatTable } from './table.js';

/** Characters of a cell; the rest is cut. */
const cellMax = 60;

function cellOf(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return '';
  const text = typeof value === 'string' ? value : stringifyJson(value);
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length <= cellMax ? line : `${line.slice(0, cellMax - 1)}…`;
}

/** The rows of an answer in JSON as a table, in the order of the columns of its schema. */
function tableOf(answer: string): string {
  const body = parseJson(answer) as JsonObject;
  const rows = memberOf(body, 'data') as readonly JsonObject[];
  const schema = memberOf(memberOf(body, 'schema') as JsonObject, 'items') as JsonObject;
  const columns = Array.from(
    membersOf(memberOf(schema, 'properties') as JsonObject),
    ([name]) => name,
  );
  const lines = rows.map((row) => columns.map((column) => cellOf(memberOf(row, column))));
  return formatTable(columns, lines);
}

/** A file that cannot be written to its end is not left behind. */
async function writeTo(file: string, body: Readable): Promise<void> {
  const partial = `${file}.partial`;
  try {
    await pipeline(body, createWriteStream(partial));
    await rename(partial, file);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

/** @throws UsageError for a binary format on a terminal; as `connect` */
export async function printQuery(
  context: Context,
  given: string,
  { format, out }: QueryOptions,
): Promise<void> {
  const { fmt, isBinary = false }: { fmt: string; isBinary?: boolean } = outputFormats[format];
  if (isBinary && out === undefined && process.stdout.isTTY)
    throw new UsageError(`--format ${format} is no text: add --out FILE`);
  const client = connect(context);
  const query = given === '-' ? await textOf(process.stdin) : given;
  const answer = await client.send('POST', '/query', { query, fmt });
  const body =
    format === 'table'
      ? Readable.from([`${tableOf(await answer.text())}\n`])
      : Readable.fromWeb(answer.body!);
  if (out === undefined) await pipeline(body, process.stdout, { end: false });
  else await writeTo(out, body);
  if (answer.headers.has('x-bt-cursor'))
    context.note('more rows follow: ask for them with the cursor of the answer, or a higher limit');
}
