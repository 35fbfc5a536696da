// Joins Parquet files with the same columns into one: the row groups are concatenated as they are, and a new footer has their
// offsets and the names of the columns.
import { open } from 'node:fs/promises';
import { deserializeTCompactProtocol } from 'hyparquet/src/thrift.js';
import { ByteWriter } from 'hyparquet-writer';
import { serializeTCompactProtocol } from 'hyparquet-writer/src/thrift.js';
import { endWith, mark, readMetadata } from '../../segment/parquet-footer.js';
import { ofPieces, type FileBytes, type FinishedBytes } from './finished-bytes.js';

/** A Thrift struct by the numbers of its fields; parquet.thrift of the Parquet format names them. */
type Struct = Readonly<Record<`field_${number}`, unknown>>;

interface Part extends FileBytes {
  readonly metadata: Struct;
}

/** Joins the files, of which it reads only the footers. The result owns them. `names` are those of the columns, which are flat or lists. */
export async function joinParquet(
  paths: readonly string[],
  names: readonly string[],
): Promise<FinishedBytes> {
  const pieces: FileBytes[] = [];
  const rowGroups: Uint8Array[] = [];
  let first: Struct | null = null;
  let rows = 0n;
  let offset = mark.length;
  for (const path of paths) {
    const part = await readPart(path);
    first ??= part.metadata;
    checkColumns(first, part.metadata);
    rows += part.metadata.field_3 as bigint;
    for (const group of part.metadata.field_4 as readonly Struct[])
      rowGroups.push(encoded(moved(group, BigInt(offset - part.start), names)));
    pieces.push(part);
    offset += part.end - part.start;
  }
  const metadata = encodedMetadata({ ...first, ...named(first, names), field_3: rows }, rowGroups);
  return ofPieces([mark, ...pieces, endWith(metadata)]);
}

async function readPart(path: string): Promise<Part> {
  const file = await open(path);
  try {
    const { bytes, start: end } = await readMetadata(file);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const metadata = deserializeTCompactProtocol({ view, offset: 0 });
    return { path, start: mark.length, end, metadata };
  } finally {
    await file.close();
  }
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

/** Renames the columns of the schema. Its first element is the row itself. */
function named(metadata: Struct | null, names: readonly string[]): Struct {
  const [row, ...elements] = (metadata?.field_2 ?? []) as readonly Struct[];
  let column = -1;
  // The elements below a column that are still to come.
  let below = 0;
  const renamed = elements.map((element) => {
    const isColumn = below === 0;
    below += Number(element.field_5 ?? 0) - (isColumn ? 0 : 1);
    if (!isColumn) return element;
    column += 1;
    return withName(element, names[column]);
  });
  return { field_2: [row, ...renamed] };
}

function encoded(struct: Struct): Uint8Array {
  const writer = new ByteWriter();
  serializeTCompactProtocol(writer, struct);
  return writer.getBytes();
}

/** The row group with all file offsets increased by `by`, with renamed columns, of which each has one leaf, and without its ordinal. */
function moved(
  { field_7: _number, ...group }: Struct,
  by: bigint,
  names: readonly string[],
): Struct {
  const columns = (group.field_1 as readonly Struct[]).map((column, index) => {
    const chunk = column.field_3 as Struct;
    const [, ...below] = chunk.field_3 as readonly unknown[];
    const field_3 = [names[index], ...below];
    return shifted(column, [4, 6], by, {
      field_3: shifted(chunk, [9, 10, 11, 14], by, { field_3 }),
    });
  });
  return shifted(group, [5], by, { field_1: columns });
}

/** The struct with `fields` increased by `by` and the fields of `others` replaced, in the same order of fields. */
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

/** The length of the zero byte that ends a struct. */
const structEnd = 1;
/** The length of a list of one empty struct: one byte each for the field, the list and the end of the struct. */
const listOfEmpty = 2 + structEnd;

/** Inserts the encoded row groups as field 4. Each was encoded on its own, since encoding all of them at once takes 100 ms. */
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
