// Reads the JSON texts of objects from their rows and files.
import type { Row } from '../duckdb/rows.js';
import type { Sql } from '../duckdb/sql.js';
import type { Writer } from '../duckdb/writer.js';
import { abbreviated, badRequest } from '../errors.js';
import { scanElement } from '../json/scan.js';
import { stringifyJson } from '../json/stringify.js';
import { jsonLimits, limits, objectBytesMax } from '../schema/limits.js';
import { DamagedFileError, type BodyFiles } from './body-files.js';
import type { ObjectFields, ObjectHeader } from './header.js';
import { selectBodies, selectBody, selectBodyOf } from './statements.js';

/** The number of rows that one statement reads. */
const rowsTogether = 200;

/** The number of files that are read concurrently. */
const filesTogether = 4;

/** The size of a group of several texts. */
const groupCharactersMax = 2 ** 22;

/**
 * The text to store. A deletion is never refused.
 * @throws RequestError 400 for a text that is too long or has too many values
 */
export function bodyOf({ kind, name, deleted }: ObjectHeader, fields: ObjectFields): string {
  const body = stringifyJson(fields);
  if (deleted) return body;
  const bytes = Buffer.byteLength(body);
  const named = () => `the ${kind} ${JSON.stringify(abbreviated(name))}`;
  if (bytes > objectBytesMax)
    throw badRequest(`${named()} has ${bytes} bytes of JSON, the limit is ${objectBytesMax}`);
  checkValues(body, named);
  return body;
}

/** Printing and merging many values blocks the event loop. A text of fewer characters cannot have too many. */
function checkValues(body: string, name: () => string): void {
  if (body.length > limits.objectValues.max)
    scanElement(Buffer.from(body), 0, { ...jsonLimits, values: limits.objectValues, name });
}

export type BodiesByHeader = ReadonlyMap<ObjectHeader, string>;

export class Bodies {
  readonly #writer: Writer;
  readonly #files: BodyFiles;

  constructor(writer: Writer, files: BodyFiles) {
    this.#writer = writer;
    this.#files = files;
  }

  /**
   * The latest text of an object.
   * @throws DamagedFileError if its file is missing or damaged; so does `groups`
   */
  async latest(id: string): Promise<string> {
    return (await this.#find(selectBody(id))) as string;
  }

  /** The texts, as of the versions of the headers, in groups of limited size. Either all headers are of versioned kinds, or none. */
  async *groups(headers: readonly ObjectHeader[]): AsyncGenerator<BodiesByHeader> {
    for (let start = 0; start < headers.length; start += rowsTogether) {
      const part = headers.slice(start, start + rowsTogether);
      const rows = await this.#writer.read(selectBodies(part));
      yield* this.#divided(part, new Map(rows.map((row) => [String(row['key']), row])));
    }
  }

  async *#divided(
    headers: readonly ObjectHeader[],
    rows: ReadonlyMap<string, Row>,
  ): AsyncGenerator<BodiesByHeader> {
    let group = new Map<ObjectHeader, string>();
    let characters = 0;
    for (let start = 0; start < headers.length; start += filesTogether) {
      const part = headers.slice(start, start + filesTogether);
      const bodies = await Promise.all(part.map((header) => this.#bodyIn(rows, header)));
      for (const [index, body] of bodies.entries()) {
        if (body === undefined) continue;
        if (group.size > 0 && characters + body.length > groupCharactersMax) {
          yield group;
          group = new Map();
          characters = 0;
        }
        group.set(part[index]!, body);
        characters += body.length;
      }
    }
    if (group.size > 0) yield group;
  }

  async #bodyIn(rows: ReadonlyMap<string, Row>, header: ObjectHeader): Promise<string | undefined> {
    const row = rows.get(String(header.xactId ?? header.id));
    if (row === undefined) return undefined;
    return (await this.#textOf(row)) ?? this.#find(selectBodyOf(header));
  }

  /** Null if the file of the row is missing or damaged. */
  async #textOf({ body, file }: Row): Promise<string | null> {
    return file === null ? (body as string) : this.#files.read(file as string);
  }

  /** Reads the row again if its file is missing: a change can remove the file after the row was read. */
  async #find(query: Sql): Promise<string | undefined> {
    for (let missing: unknown = null; ;) {
      const [row] = await this.#writer.read(query);
      if (row === undefined) return undefined;
      const text = await this.#textOf(row);
      if (text !== null) return text;
      if (row['file'] === missing) throw new DamagedFileError(row['file'] as string);
      missing = row['file'];
    }
  }

  /** The ids and texts of the objects that the query selects, one file at a time. */
  async *selected(query: Sql): AsyncGenerator<{ readonly id: string; readonly body: string }> {
    for (const row of await this.#writer.read(query)) {
      const id = row['id'] as string;
      yield { id, body: (await this.#textOf(row)) ?? (await this.latest(id)) };
    }
  }
}
