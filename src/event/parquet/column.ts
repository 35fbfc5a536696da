// Reads the values of a Parquet column. hyparquet trusts the numbers in a file; they are checked here first, since a small file
// could make it take any amount of memory.
import { brotliDecompressSync, unzipSync } from 'node:zlib';
import type { ColumnMetaData, CompressionCodec, Encoding, PageHeader, SchemaTree } from 'hyparquet';
import { decompressLz4, decompressLz4Raw, decompressZstd } from 'hyparquet-compressors';
import { assembleLists } from 'hyparquet/src/assemble.js';
import { parquetHeader } from 'hyparquet/src/column.js';
import { readDataPage, readDataPageV2 } from 'hyparquet/src/datapage.js';
import { readPlain } from 'hyparquet/src/plain.js';
import { snappyUncompress } from 'hyparquet/src/snappy.js';
import type { JsonValue } from '../../json/json.js';
import { brokenColumn, unsupported, type Budget } from './budget.js';
import type { Raw } from './leaf.js';
import { checkDictionaryRuns, levelsOfPage } from './levels.js';

export interface Column {
  readonly name: string;
  readonly metadata: ColumnMetaData;
  /** From the root of the schema to the column. */
  readonly schemaPath: SchemaTree[];
  readonly valueOf: (raw: Raw) => JsonValue;
}

type Decompress = (input: Uint8Array, length: number) => Uint8Array;

/** Results of Node.js may lie in memory that other ones share, and a damaged length in a page leads out of it. */
const ofItsOwn = (bytes: Uint8Array): Uint8Array => new Uint8Array(bytes);

const decompressors: Partial<Readonly<Record<CompressionCodec, Decompress>>> = {
  UNCOMPRESSED: (input) => input,
  SNAPPY: (input, length) => {
    const output = new Uint8Array(length);
    snappyUncompress(input, output);
    return output;
  },
  GZIP: (input, maxOutputLength) => ofItsOwn(unzipSync(input, { maxOutputLength })),
  BROTLI: (input, maxOutputLength) => ofItsOwn(brotliDecompressSync(input, { maxOutputLength })),
  ZSTD: (input, length) => decompressZstd(input, new Uint8Array(length)),
  LZ4: decompressLz4,
  LZ4_RAW: decompressLz4Raw,
};

/** DELTA_BYTE_ARRAY is missing: two small numbers make a value of any length. */
const encodings: readonly Encoding[] = [
  'PLAIN',
  'PLAIN_DICTIONARY',
  'RLE_DICTIONARY',
  'RLE',
  'BYTE_STREAM_SPLIT',
  'DELTA_BINARY_PACKED',
  'DELTA_LENGTH_BYTE_ARRAY',
];

/**
 * The values of the column in a row group: one for each row, nested by its levels.
 * @throws RequestError 400, 413; another error for a damaged page
 */
export function readColumn(file: Buffer, column: Column, budget: Budget): readonly unknown[] {
  const { metadata, name } = column;
  const decompress = decompressors[metadata.codec];
  if (decompress === undefined)
    throw unsupported(name, `the compression ${metadata.codec}`, Object.keys(decompressors));
  const read = pageReader(column, decompress);
  for (const [header, bytes] of pagesOf(file, column)) {
    const { data_page_header: v1, data_page_header_v2: v2, dictionary_page_header: terms } = header;
    const { num_values: count = -1 } = v1 ?? v2 ?? terms ?? {};
    if (!(count >= 0 && header.uncompressed_page_size >= 0)) throw brokenColumn(name);
    budget.take(header.uncompressed_page_size, count);
    read.page(header, bytes);
  }
  return read.rows;
}

/** The pages of the column with their headers. */
function* pagesOf(
  file: Buffer,
  { metadata, name }: Column,
): Generator<readonly [PageHeader, Uint8Array], void> {
  const { dictionary_page_offset: dictionaryAt = 0n, data_page_offset: dataAt } = metadata;
  const start = Number(dictionaryAt > 0n && dictionaryAt < dataAt ? dictionaryAt : dataAt);
  const end = start + Number(metadata.total_compressed_size);
  if (!(start >= 0 && start <= end && end <= file.length)) throw brokenColumn(name);
  const reader = { view: new DataView(file.buffer, file.byteOffset, end), offset: start };
  for (let count = 0; count < Number(metadata.num_values);) {
    const header = parquetHeader(reader);
    const next = reader.offset + header.compressed_page_size;
    if (!(next >= reader.offset && next <= end)) throw brokenColumn(name);
    const bytes = new Uint8Array(
      file.buffer,
      file.byteOffset + reader.offset,
      header.compressed_page_size,
    );
    reader.offset = next;
    if (header.type === 'INDEX_PAGE') continue;
    yield [header, bytes];
    count += (header.data_page_header ?? header.data_page_header_v2)?.num_values ?? 0;
  }
}

function pageReader({ name, metadata, schemaPath, valueOf }: Column, decompress: Decompress) {
  const { type } = metadata;
  const { element } = schemaPath.at(-1)!;
  const decoder = { type, element, schemaPath, codec: 'UNCOMPRESSED' } as ColumnDecoder;
  const rows: unknown[] = [];
  let dictionary: readonly JsonValue[] | null = null;

  const plain = (bytes: Uint8Array, length: number): Uint8Array => {
    // Node.js refuses to decompress to nothing, and the dictionary of a column of nulls is empty.
    const page = length === 0 ? new Uint8Array() : decompress(bytes, length);
    if (page.length !== length) throw brokenColumn(name);
    return page;
  };

  const add = (encoding: Encoding, { definitionLevels, repetitionLevels, dataPage }: DataPage) => {
    const raw = Array.from(dataPage as ArrayLike<Raw>);
    const values = encoding.endsWith('_DICTIONARY')
      ? raw.map((index) => {
          const value = dictionary?.[index as number];
          if (value === undefined) throw brokenColumn(name);
          return value;
        })
      : raw.map(valueOf);
    const assembled = assembleLists(rows, definitionLevels, repetitionLevels, values, schemaPath);
    if (assembled !== rows) for (const value of assembled) rows.push(value);
  };

  const page = (header: PageHeader, bytes: Uint8Array): void => {
    const { uncompressed_page_size: length, data_page_header: v1 } = header;
    const { data_page_header_v2: v2, dictionary_page_header: terms } = header;
    const encoding = (v1 ?? v2 ?? terms)!.encoding;
    if (!encodings.includes(encoding))
      throw unsupported(name, `the encoding ${encoding}`, encodings);
    if (terms !== undefined) {
      const content = plain(bytes, length);
      const view = new DataView(content.buffer, content.byteOffset, content.length);
      const raw = readPlain({ view, offset: 0 }, type, terms.num_values, element.type_length);
      dictionary = Array.from(raw as ArrayLike<Raw>, valueOf);
    } else if (v1 !== undefined) {
      const content = plain(bytes, length);
      const at = levelsOfPage(content, schemaPath, v1.num_values, null);
      checkDictionaryRuns(content, at, encoding, v1.num_values);
      add(encoding, readDataPage(content, v1, decoder));
    } else if (v2 !== undefined) {
      const content = ofVersion2(bytes, length, v2, plain);
      const at = levelsOfPage(content, schemaPath, v2.num_values, v2);
      checkDictionaryRuns(content, at, encoding, v2.num_values);
      const stored = { ...header, data_page_header_v2: { ...v2, is_compressed: false } };
      add(encoding, readDataPageV2(content, stored, decoder));
    }
  };
  return { rows, page };
}

type ColumnDecoder = Parameters<typeof readDataPage>[2];
type DataPage = ReturnType<typeof readDataPage>;
type HeaderV2 = NonNullable<PageHeader['data_page_header_v2']>;

/** The page without compression. Its levels are never compressed. */
function ofVersion2(
  bytes: Uint8Array,
  length: number,
  {
    is_compressed,
    repetition_levels_byte_length: repetition,
    definition_levels_byte_length: definition,
  }: HeaderV2,
  plain: Decompress,
): Uint8Array {
  const levels = repetition + definition;
  if (!(repetition >= 0 && definition >= 0 && levels <= bytes.length)) throw new Error('levels');
  if (is_compressed === false) return bytes;
  const values = bytes.subarray(levels);
  const content = new Uint8Array(length);
  content.set(bytes.subarray(0, levels));
  // Some writers leave a page without values empty.
  if (length > levels) content.set(plain(values, length - levels), levels);
  return content;
}
