// The JSON texts of objects. They are read in groups: many small ones, or a few that may be large.
import { isEngineError } from '../duckdb/engine-error.js';
import type { Writer } from '../duckdb/writer.js';
import { abbreviated, badRequest } from '../errors.js';
import { stringifyJson } from '../json/stringify.js';
import { objectBytesMax } from '../schema/limits.js';
import type { ObjectFields, ObjectHeader } from './header.js';
import { selectBodies } from './statements.js';

/** The number of small bodies that one statement reads. */
const smallTogether = 200;

/** The number of other bodies that the first statement reads; the next one reads twice as many if they were small. */
const othersTogether = { first: 4, max: 32 } as const;

const smallCharacters = 2 ** 16;

/**
 * The text to store. A deletion is never refused.
 * @throws RequestError 400 for a text that is too long
 */
export function bodyOf({ kind, name, deleted }: ObjectHeader, fields: ObjectFields): string {
  const body = stringifyJson(fields);
  const bytes = Buffer.byteLength(body);
  if (bytes > objectBytesMax && !deleted)
    throw badRequest(
      `the ${kind} ${JSON.stringify(abbreviated(name))} has ${bytes} bytes of JSON, the limit is ${objectBytesMax}`,
    );
  return body;
}

export type BodiesByHeader = ReadonlyMap<ObjectHeader, string>;

export class Bodies {
  readonly #writer: Writer;
  /** The headers whose body was small when it was last written or read. */
  readonly #small = new WeakSet<ObjectHeader>();

  constructor(writer: Writer) {
    this.#writer = writer;
  }

  note(header: ObjectHeader, body: string): void {
    if (body.length <= smallCharacters) this.#small.add(header);
  }

  /** Either all headers are of versioned kinds, or none. */
  async *groups(headers: readonly ObjectHeader[]): AsyncGenerator<BodiesByHeader> {
    let others: number = othersTogether.first;
    for (let start = 0; start < headers.length;) {
      const isKnown = this.#small.has(headers[start]!);
      const group = this.#groupFrom(headers, start, isKnown ? smallTogether : others);
      const bodies = await (isKnown ? this.#read(group) : this.#readIfFits(group));
      if (bodies === null) {
        others = 1;
        continue;
      }
      start += group.length;
      yield bodies;
      if (isKnown) continue;
      const areSmall = group.every((header) => this.#small.has(header));
      others = areSmall ? Math.min(2 * others, othersTogether.max) : othersTogether.first;
    }
  }

  /** At most `count` headers from `start` on that are all known to be small, or all not. */
  #groupFrom(
    headers: readonly ObjectHeader[],
    start: number,
    count: number,
  ): readonly ObjectHeader[] {
    const isSmall = this.#small.has(headers[start]!);
    const group = headers.slice(start, start + count);
    const other = group.findIndex((header) => this.#small.has(header) !== isSmall);
    return other === -1 ? group : group.slice(0, other);
  }

  /** Null for several bodies that exceed the memory of the engine together. */
  async #readIfFits(group: readonly ObjectHeader[]): Promise<BodiesByHeader | null> {
    try {
      return await this.#read(group);
    } catch (error) {
      if (group.length > 1 && isEngineError(error, 'memory')) return null;
      throw error;
    }
  }

  async #read(group: readonly ObjectHeader[]): Promise<BodiesByHeader> {
    const rows = await this.#writer.read(selectBodies(group));
    const bodies = new Map(rows.map((row) => [String(row['key']), row['body'] as string]));
    return new Map(
      group.flatMap((header) => {
        const body = bodies.get(String(header.xactId ?? header.id));
        if (body === undefined) return [];
        this.note(header, body);
        return [[header, body] as const];
      }),
    );
  }
}
