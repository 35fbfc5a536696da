// Splits the footer of a Parquet file into its row groups without decoding them, so that a file of some of them can be made.
// parquet.thrift of the Parquet format names the fields; the encoding is the compact protocol of Thrift.
import type { FileHandle } from 'node:fs/promises';
import { setImmediate as turn } from 'node:timers/promises';

export interface FooterGroup {
  /** Its bytes in the footer. */
  readonly struct: Buffer;
  readonly rows: number;
  /** The decompressed size. */
  readonly bytes: number;
  /** Where its pages are in the file; `end` is excluded. */
  readonly start: number;
  readonly end: number;
}

export interface Footer {
  /** The fields before the number of rows: version and schema. */
  readonly head: Buffer;
  readonly groups: readonly FooterGroup[];
}

/** The first and the last bytes of a file. */
export const mark = Buffer.from('PAR1');
/** After the metadata: their length as a uint32, and the mark. */
const endBytes = 8;

const types = { false: 2, byte: 3, double: 7, binary: 8, list: 9, set: 10, map: 11, struct: 12 };
/** Fields of `FileMetaData` and of `RowGroup`. */
const fileFields = { rows: 3, groups: 4 };
const groupFields = { bytes: 2, rows: 3, start: 5, compressedBytes: 6 };

export const readFooter = async (file: FileHandle): Promise<Footer> =>
  parseFooter((await readMetadata(file)).bytes);

/** The metadata, and where they begin in the file. */
export async function readMetadata(
  file: FileHandle,
): Promise<{ readonly bytes: Buffer; readonly start: number }> {
  const { size } = await file.stat();
  const length = (await readBytes(file, size - endBytes, 4)).readUInt32LE();
  const start = size - endBytes - length;
  return { bytes: await readBytes(file, start, length), start };
}

export async function readBytes(file: FileHandle, start: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.allocUnsafeSlow(length), 0, length, start);
  if (bytesRead < length) throw new Error(`a Parquet file ends before byte ${start + length}`);
  return buffer;
}

/** The end of a file that has these row groups alone, each where it is in the whole file. */
export function footerOf({ head }: Footer, groups: readonly FooterGroup[]): Buffer {
  const rows = groups.reduce((sum, group) => sum + group.rows, 0);
  const metadata = Buffer.concat([
    head,
    // The next field, an i64, which is zigzag-encoded.
    Buffer.from([0x16]),
    varint(2 * rows),
    // The next field, a list of structs with its length apart.
    Buffer.from([0x19, 0xfc]),
    varint(groups.length),
    ...groups.map(({ struct }) => struct),
    Buffer.from([0]),
  ]);
  return endWith(metadata);
}

/** The end of a file with these metadata. */
export function endWith(metadata: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(metadata.length);
  return Buffer.concat([metadata, length, mark]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return Buffer.from([...bytes, rest]);
}

/** How many row groups are read in one turn of the event loop: half a millisecond. */
const groupsAtOnce = 8;

export async function parseFooter(bytes: Buffer): Promise<Footer> {
  const reader = new CompactReader(bytes);
  let head = bytes;
  for (let at = 0; ; at = reader.at) {
    const { field, type } = reader.field();
    if (field === fileFields.rows) head = bytes.subarray(0, at);
    if (field === fileFields.groups) break;
    reader.skip(type);
  }
  const groups: FooterGroup[] = [];
  for (let left = reader.listLength(); left > 0; left--) {
    groups.push(reader.group());
    if (left % groupsAtOnce === 0) await turn();
  }
  return { head, groups };
}

class CompactReader {
  readonly #bytes: Buffer;
  #field = 0;
  at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** The head of the next field of a struct; the type is 0 at the end of the struct. */
  field(): { readonly field: number; readonly type: number } {
    const head = this.#byte();
    if (head !== 0) this.#field = head >> 4 === 0 ? this.#zigzag() : this.#field + (head >> 4);
    return { field: this.#field, type: head & 15 };
  }

  /** The length of a list, whose elements follow. */
  listLength(): number {
    const head = this.#byte();
    return head >> 4 === 15 ? this.#varint() : head >> 4;
  }

  group(): FooterGroup {
    const from = this.at;
    const numbers = new Map<number, number>();
    const wanted: readonly number[] = Object.values(groupFields);
    this.#struct((field, type) => {
      if (wanted.includes(field)) numbers.set(field, this.#zigzag());
      else this.skip(type);
    });
    const [bytes, rows, start, compressedBytes] = wanted.map((field) => numbers.get(field));
    if (bytes === undefined || rows === undefined) throw new Error('a row group has no size');
    if (start === undefined || compressedBytes === undefined)
      throw new Error('a row group does not say where it is');
    const struct = this.#bytes.subarray(from, this.at);
    return { struct, rows, bytes, start, end: start + compressedBytes };
  }

  skip(type: number): void {
    switch (type) {
      case types.byte:
        this.at += 1;
        return;
      case types.double:
        this.at += 8;
        return;
      case types.binary: {
        const length = this.#varint();
        this.at += length;
        return;
      }
      case types.list:
      case types.set: {
        const element = this.#bytes[this.at]! & 15;
        // Booleans are a part of the type in structs, and bytes in lists.
        for (let left = this.listLength(); left > 0; left--)
          this.skip(element <= types.false ? types.byte : element);
        return;
      }
      case types.struct:
        this.#struct((_field, each) => this.skip(each));
        return;
      case types.map:
        throw new Error('the footer of a Parquet file has a map');
      default:
        if (type > types.false) this.#varint();
    }
  }

  /** `read` reads the value of the field. */
  #struct(read: (field: number, type: number) => void): void {
    const outer = this.#field;
    this.#field = 0;
    for (let head = this.field(); head.type !== 0; head = this.field()) read(head.field, head.type);
    this.#field = outer;
  }

  #byte(): number {
    const byte = this.#bytes[this.at++];
    if (byte === undefined) throw new Error('the footer of a Parquet file ends too early');
    return byte;
  }

  #varint(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.#byte();
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  }

  /** A number below 2^52. */
  #zigzag(): number {
    const value = this.#varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }
}
