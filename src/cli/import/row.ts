// A row of a file, as each reader of a format gives it.
import type { JsonObject, JsonValue } from '../../json/json.js';
import { isJsonObject, memberOf } from '../../json/tree.js';

export type Bytes = AsyncIterable<Uint8Array>;

export interface Row {
  /** JSON text of an object, or what a bad line has instead. */
  readonly text: string;
  /** The line in the file, or of formats without lines the number of the row; from 1. */
  readonly line: number;
}

/** A row or a file that cannot be read. */
export class RowError extends Error {
  override readonly name = 'RowError';
  /** `place` is such as `line 7`. */
  constructor(
    readonly place: string | null,
    message: string,
  ) {
    super(message);
  }
}

/** The characters of UTF-8, in parts. @throws RowError for other bytes */
export async function* charactersOf(bytes: Bytes): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const decoded = (part?: Uint8Array): string => {
    try {
      return part === undefined ? decoder.decode() : decoder.decode(part, { stream: true });
    } catch {
      throw new RowError(null, 'the text is no UTF-8');
    }
  };
  for await (const part of bytes) yield decoded(part);
  yield decoded();
}

/**
 * The names that lead to a value, of a path of names joined by dots. Names can contain dots themselves, as in `attributes` of spans.
 * Undefined if there is no value.
 */
export function namesTo(value: JsonValue | undefined, path: string): readonly string[] | undefined {
  if (!isJsonObject(value)) return undefined;
  if (memberOf(value, path) !== undefined) return [path];
  for (let dot = path.indexOf('.'); dot > 0; dot = path.indexOf('.', dot + 1)) {
    const name = path.slice(0, dot);
    const rest = namesTo(memberOf(value, name), path.slice(dot + 1));
    if (rest !== undefined) return [name, ...rest];
  }
  return undefined;
}

/** The value at names that lead to one. */
export const valueOf = (value: JsonValue, names: readonly string[]): JsonValue =>
  names.reduce((inner, name) => memberOf(inner as JsonObject, name)!, value);

export function valueAt(value: JsonObject, path: string): JsonValue | undefined {
  const names = namesTo(value, path);
  return names === undefined ? undefined : valueOf(value, names);
}
