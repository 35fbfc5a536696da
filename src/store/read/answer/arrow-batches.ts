// Writes the rows of a query as record batches of an Arrow stream, in the reader's thread.
import { open } from 'node:fs/promises';
import {
  Bool,
  Field,
  Float64,
  Int64,
  List,
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
import {
  booleanData,
  dividedTexts,
  fixedData,
  listData,
  rangesOf,
  type FixedData,
  type RowRange,
  type TextData,
} from '../../../duckdb/column-data.js';
import type { RowBatch } from '../../../duckdb/connection.js';
import { isJoined, type ArrowColumn, type ArrowPart, type ArrowType } from './arrow-part.js';

type Vector = RowBatch['vectors'][number];

interface TypeForm {
  readonly type: DataType;
  readonly metadata?: ReadonlyMap<string, string>;
  /** Null for texts, which are divided. */
  readonly dataOf: ((type: DataType, vector: Vector, range: RowRange) => Data) | null;
}

type ReadData = NonNullable<TypeForm['dataOf']>;

const lengthOf = ({ start, end }: RowRange): number => end - start;

const fixed =
  (read: (vector: Vector, range: RowRange) => FixedData): ReadData =>
  (type, vector, range) =>
    makeData({
      type: type as Int64,
      length: lengthOf(range),
      ...bare(read(vector, range)),
    } as never);

/** Without the bitmap of a column without NULL, which the library would read. */
const bare = <T extends { readonly nullCount: number }>(data: T): T =>
  data.nullCount === 0 ? { ...data, nullBitmap: null } : data;

const textOf = (length: number, data: TextData): Data<Utf8> =>
  makeData({ type: new Utf8(), length, ...bare(data) });

const lists: ReadData = (type, vector, range) => {
  const { elements, elementCount, ...list } = listData(vector, range);
  const child = textOf(elementCount, elements);
  return makeData({ type: type as List<Utf8>, length: lengthOf(range), child, ...bare(list) });
};

const jsonText = new Map([
  ['ARROW:extension:name', 'arrow.json'],
  ['ARROW:extension:metadata', ''],
]);

/** The columns of a query by their type in SQL. */
const forms: Readonly<Record<ArrowType, TypeForm>> = {
  BOOLEAN: { type: new Bool(), dataOf: fixed(booleanData) },
  BIGINT: { type: new Int64(), dataOf: fixed(fixedData) },
  DOUBLE: { type: new Float64(), dataOf: fixed(fixedData) },
  VARCHAR: { type: new Utf8(), dataOf: null },
  TIMESTAMPTZ: { type: new TimestampMicrosecond('UTC'), dataOf: fixed(fixedData) },
  'VARCHAR[]': { type: new List(new Field('item', new Utf8(), true)), dataOf: lists },
  JSON: { type: new Utf8(), metadata: jsonText, dataOf: null },
};

/** The end-of-stream marker: a continuation marker and a metadata length of zero. */
const endMark = Uint8Array.of(255, 255, 255, 255, 0, 0, 0, 0);

/** The texts of a batch in bytes, about. */
const batchBytesMax = 2 ** 26;

/** Runs in the thread of the connection; `argument` is an `ArrowPart`. */
export async function consume(result: AsyncIterable<RowBatch>, argument: unknown): Promise<void> {
  const { path, columns, isFirst, isLast } = argument as ArrowPart;
  const schema = new Schema(
    columns.map(({ name, type }) => {
      const form = forms[type];
      return new Field(name, form.type, true, form.metadata && new Map(form.metadata));
    }),
  );
  const file = await open(path, 'wx');
  try {
    const { bytes, indexOfBatches } = encoded(schema, noRows(columns), 0);
    if (isFirst) await file.write(bytes.subarray(0, indexOfBatches));
    for await (const { vectors, rowCount } of result)
      for (const range of rangesOf(vectors[0]!, rowCount, batchBytesMax))
        await file.writeFile(batchOf(schema, columns, vectors, range));
    if (isLast) await file.writeFile(endMark);
  } finally {
    await file.close();
  }
}

/** What the library does not make for a column without rows: the offsets of texts and lists, and the elements of lists. */
const empty = () => ({
  valueOffsets: new Int32Array(1),
  child: makeData({ type: new Utf8(), length: 0 }),
});

const noRows = (columns: readonly ArrowColumn[]): readonly Data[] =>
  columns.map(({ type }) =>
    makeData({ type: forms[type].type as Int64, length: 0, ...empty() } as never),
  );

/** The message of a batch. The first of the vectors has the joined texts, the others are those of the columns. */
function batchOf(
  schema: Schema,
  columns: readonly ArrowColumn[],
  [joined, ...vectors]: readonly Vector[],
  range: RowRange,
): Uint8Array {
  const length = lengthOf(range);
  const texts = dividedTexts(
    joined!,
    vectors.filter((_, index) => isJoined(columns[index]!)),
    range,
  ).values();
  const children = columns.map(({ type }, index) => {
    const { type: arrowType, dataOf } = forms[type];
    return dataOf === null
      ? textOf(length, texts.next().value!)
      : dataOf(arrowType, vectors[index]!, range);
  });
  const { bytes, indexOfBatches } = encoded(schema, children, length);
  return bytes.subarray(indexOfBatches, bytes.length - endMark.length);
}

/** Encodes the rows as a complete stream. Its first message, the schema, is a marker, a length and as many bytes. */
function encoded(schema: Schema, children: readonly Data[], length: number) {
  const type = new Struct(schema.fields);
  const struct = makeData({ type, length, nullCount: 0, children: [...children] });
  const bytes = tableToIPC(new Table(schema, [new RecordBatch(schema, struct)]), 'stream');
  const indexOfBatches = 8 + new DataView(bytes.buffer, bytes.byteOffset).getInt32(4, true);
  return { bytes, indexOfBatches };
}
