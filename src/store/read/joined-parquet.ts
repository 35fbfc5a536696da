// Parquet files of the same columns as one: the bytes of their row groups stay as they are, behind one another, and a
// new end says where they are now, and what the columns are called.
import { open, type FileHandle } from 'node:fs/promises';
import { deserializeTCompactProtocol } from 'hyparquet/src/thrift.js';
import { ByteWriter } from 'hyparquet-writer/src/bytewriter.js';
import { serializeTCompactProtocol } from 'hyparquet-writer/src/thrift.js';
import { ofPieces, type FileBytes, type FinishedBytes } from './finished-bytes.js';

/** A struct of the format by the numbers of its fields, which parquet.thrift of the Parquet format names. */
type Struct = Readonly<Record<`field_${number}`, unknown>>;

interface Part extends FileBytes {
  readonly metadata: Struct;
}

const magic = Buffer.from('PAR1');
/** Behind the metadata: their length in four bytes, and the mark. */
const endBytes = 8;

/** Reads nothing but the ends of the files, whose bytes the result takes over. `names` are those of the columns, which are flat. */
export async function joinParquet(
  paths: readonly string[],
  names: readonly string[],
): Promise<FinishedBytes> {
  const pieces: FileBytes[] = [];
  const rowGroups: Uint8Array[] = [];
  let first: Struct | null = null;
  let rows = 0n;
  let place = magic.length;
  for (const path of paths) {
    const part = await readPart(path);
    first ??= part.metadata;
    checkColumns(first, part.metadata);
    rows += part.metadata.field_3 as bigint;
    for (const group of part.metadata.field_4 as readonly Struct[])
      rowGroups.push(encoded(moved(group, BigInt(place - part.start), names)));
    pieces.push(part);
    place += part.end - part.start;
  }
  const metadata = encodedMetadata({ ...first, ...named(first, names), field_3: rows }, rowGroups);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(metadata.length);
  return ofPieces([magic, ...pieces, Buffer.concat([metadata, length, magic])]);
}

async function readPart(path: string): Promise<Part> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const metadataBytes = (await bytesOf(file, size - endBytes, 4)).readUInt32LE();
    const end = size - endBytes - metadataBytes;
    const { buffer, byteOffset, length } = await bytesOf(file, end, metadataBytes);
    const view = new DataView(buffer, byteOffset, length);
    const metadata = deserializeTCompactProtocol({ view, offset: 0 });
    return { path, start: magic.length, end, metadata };
  } finally {
    await file.close();
  }
}

async function bytesOf(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer } = await file.read(Buffer.alloc(length), 0, length, position);
  return buffer;
}

function checkColumns(first: Struct, other: Struct): void {
  const columns = [first, other].map(({ field_2 }) => encoded({ field_2 }));
  if (Buffer.compare(columns[0]!, columns[1]!) !== 0)
    throw new Error('parts of a Parquet file have different columns');
}

const withName = (column: Struct, name: string | undefined): Struct => ({
  ...column,
  field_4: name,
});

/** The first element is the row itself. */
function named(metadata: Struct | null, names: readonly string[]): Struct {
  const [row, ...columns] = (metadata?.field_2 ?? []) as readonly Struct[];
  const renamed = columns.map((column, index) => withName(column, names[index]));
  return { field_2: [row, ...renamed] };
}

function encoded(struct: Struct): Uint8Array {
  const writer = new ByteWriter();
  serializeTCompactProtocol(writer, struct);
  return writer.getBytes();
}

/** The row group and its columns with all their places in the file `by` bytes further, without its number. */
function moved(
  { field_7: _number, ...group }: Struct,
  by: bigint,
  names: readonly string[],
): Struct {
  const columns = (group.field_1 as readonly Struct[]).map((column, index) =>
    shifted(column, [4, 6], by, {
      field_3: shifted(column.field_3 as Struct, [9, 10, 11, 14], by, { field_3: [names[index]] }),
    }),
  );
  return shifted(group, [5], by, { field_1: columns });
}

/** The struct with other values for some fields; the order of fields stays. */
function shifted(
  struct: Struct,
  fields: readonly number[],
  by: bigint,
  others: Struct = {},
): Struct {
  const moved = fields.flatMap((field) => {
    const name = `field_${field}` as const;
    const value = struct[name];
    return typeof value === 'bigint' ? [[name, value + by] as const] : [];
  });
  return { ...struct, ...Object.fromEntries(moved), ...others };
}

/** A struct ends with a zero. */
const structEnd = 1;
/** One byte for the field, one for a list of one struct, and the end of that. */
const listOfEmpty = 2 + structEnd;

/** The row groups, a list of structs in field 4, are encoded before, each for itself: all at once would take 100 ms. */
function encodedMetadata(metadata: Struct, rowGroups: readonly Uint8Array[]): Buffer {
  const { field_1, field_2, field_3 } = metadata;
  const before = encoded({ field_1, field_2, field_3 }).length - structEnd;
  const all = encoded({ ...metadata, field_4: [{}] });
  const list = new ByteWriter();
  list.appendUint8(all[before]!);
  list.appendUint8(0xfc);
  list.appendVarInt(rowGroups.length);
  return Buffer.concat([
    all.subarray(0, before),
    list.getBytes(),
    ...rowGroups,
    all.subarray(before + listOfEmpty),
  ]);
}
