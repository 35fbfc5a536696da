// Encodes rows as an Arrow IPC stream: a schema, record batches and an end-of-stream marker.
import {
  Bool,
  Field,
  Float64,
  Int64,
  makeBuilder,
  makeData,
  RecordBatch,
  Schema,
  Struct,
  Table,
  tableToIPC,
  TimestampMicrosecond,
  Utf8,
  type Data,
  type DataType,
} from 'apache-arrow';
import { typedAs, type OutputColumn, type TypedAs } from '../../query/sql/output.js';

type Chunk = readonly (readonly unknown[])[];

const arrowTypes: Readonly<Record<TypedAs, () => DataType>> = {
  BOOLEAN: () => new Bool(),
  BIGINT: () => new Int64(),
  DOUBLE: () => new Float64(),
  VARCHAR: () => new Utf8(),
  TIMESTAMPTZ: () => new TimestampMicrosecond('UTC'),
};

/** Encodes `chunks`, rows of `typedSelect`. `kinds` has the kinds of the values of each column, from which its type follows. */
export async function* arrowStream(
  columns: readonly OutputColumn[],
  kinds: readonly string[],
  chunks: AsyncIterable<Chunk>,
): AsyncIterable<Uint8Array> {
  const fields = columns.map(
    (column, index) =>
      new Field(column.name, arrowTypes[typedAs(column, kinds[index] ?? '')](), true),
  );
  const schema = new Schema(fields);
  const start = encoded(schema, []);
  const schemaLength = start.indexOfBatches;
  yield start.bytes.subarray(0, schemaLength);
  for await (const chunk of chunks) {
    const { bytes, indexOfBatches } = encoded(schema, chunk);
    yield bytes.subarray(indexOfBatches, bytes.length - endMark.length);
  }
  yield endMark;
}

/** The end-of-stream marker: a continuation marker and a metadata length of zero. */
const endMark = Uint8Array.of(255, 255, 255, 255, 0, 0, 0, 0);

/** Encodes the rows as a complete stream. Its first message, the schema, is a marker, a length and as many bytes. */
function encoded(schema: Schema, rows: Chunk) {
  const children = schema.fields.map(({ type }, column) =>
    vectorOf(type as DataType, rows, column),
  );
  const struct = makeData({
    type: new Struct(schema.fields),
    length: rows.length,
    nullCount: 0,
    children,
  });
  const bytes = tableToIPC(new Table(schema, [new RecordBatch(schema, struct)]), 'stream');
  const indexOfBatches = 8 + new DataView(bytes.buffer, bytes.byteOffset).getInt32(4, true);
  return { bytes, indexOfBatches };
}

function vectorOf(type: DataType, rows: Chunk, column: number): Data {
  if (type instanceof TimestampMicrosecond) return timestamps(type, rows, column);
  if (type instanceof Utf8) return texts(type, rows, column);
  const builder = makeBuilder({ type, nullValues: [null] });
  for (const row of rows) builder.append(row[column] ?? null);
  return builder.finish().flush();
}

/** Builds the column directly: the library's builder appends single values, in several times the time and memory. */
function texts(type: Utf8, rows: Chunk, column: number): Data {
  const values = rows.map((row) => row[column] as string | null);
  const valueOffsets = new Int32Array(rows.length + 1);
  const { nullBitmap, nullCount } = validity(values);
  for (const [index, value] of values.entries())
    valueOffsets[index + 1] =
      valueOffsets[index]! + (value === null ? 0 : Buffer.byteLength(value));
  // `join` prints null as the empty string.
  const data = Buffer.from(values.join(''));
  return makeData({ type, length: rows.length, nullCount, nullBitmap, valueOffsets, data });
}

/** The validity bitmap of a column: one bit per value, set if it is not null. */
function validity(values: readonly unknown[]) {
  const nullBitmap = new Uint8Array(Math.ceil(values.length / 8));
  let nullCount = 0;
  for (const [index, value] of values.entries()) {
    if (value === null) nullCount += 1;
    else nullBitmap[index >> 3]! |= 1 << (index & 7);
  }
  return { nullBitmap, nullCount };
}

/** Builds the column directly: the library's builder expects milliseconds. */
function timestamps(type: TimestampMicrosecond, rows: Chunk, column: number): Data {
  const values = rows.map((row) => row[column] as bigint | null);
  const data = BigInt64Array.from(values, (micros) => micros ?? 0n);
  return makeData({ type, length: rows.length, ...validity(values), data });
}
