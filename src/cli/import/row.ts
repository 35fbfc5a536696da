// A row of a file, as each reader of a format gives it.

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
