// Reads Parquet files with every digit. hyparquet alone converts decimals and the numbers of JSON to double precision, and cuts
// times to milliseconds.
import { decompress } from 'fzstd';
import {
  parquetMetadataAsync,
  parquetSchema,
  type AsyncRowGroup,
  type ParquetParsers,
  type SchemaElement,
  type SchemaTree,
} from 'hyparquet';
import { parquetReadAsync } from 'hyparquet/src/read.js';
import { assembleAsync, asyncGroupToRows } from 'hyparquet/src/rowgroup.js';
import { decimalText, JsonText, timeText } from './json-of.js';

// hyparquet implements Snappy; other codecs need WebAssembly, which the content security policy forbids.
const compressors = { ZSTD: (input: Uint8Array) => decompress(input) };

const parsers: Partial<ParquetParsers> = {
  timestampFromMicroseconds: (micros) => timeText(micros, 3),
  timestampFromNanoseconds: (nanos) => timeText(nanos, 6),
  jsonFromBytes: (bytes) => {
    const text = new TextDecoder().decode(bytes).trim();
    return JSON.parse(text) === null ? null : new JsonText(text);
  },
};

interface Decimal {
  readonly element: SchemaElement;
  readonly path: string;
  readonly scale: number;
}

const pathText = (names: readonly string[]): string => names.join('\n');

function scaleOf({ converted_type, logical_type, scale = 0 }: SchemaElement): number | null {
  if (logical_type?.type === 'DECIMAL') return logical_type.scale;
  return converted_type === 'DECIMAL' ? scale : null;
}

/** The columns of decimals. hyparquet decodes those in a VARIANT itself. */
function decimalsOf({ element, path, children }: SchemaTree): readonly Decimal[] {
  if (element.logical_type?.type === 'VARIANT') return [];
  const scale = scaleOf(element);
  const own = scale === null ? [] : [{ element, path: pathText(path), scale }];
  return [...own, ...children.flatMap(decimalsOf)];
}

/** The element without its annotation. hyparquet returns such values as they are stored, whatever type the column has. */
const unscaled = ({
  name,
  repetition_type = 'REQUIRED',
  type_length = 0,
}: SchemaElement): SchemaElement => ({
  name,
  repetition_type,
  type_length,
  type: 'FIXED_LEN_BYTE_ARRAY',
});

/** Converts a value, or those in an array of any depth. */
const eachValue = (value: unknown, convert: (value: unknown) => unknown): unknown => {
  if (Array.isArray(value)) return value.map((one) => eachValue(one, convert));
  return value === null || value === undefined ? value : convert(value);
};

/** The same row group with the texts of its decimals. */
function withDecimals(group: AsyncRowGroup, decimals: readonly Decimal[]): AsyncRowGroup {
  const scales = new Map(decimals.map(({ path, scale }) => [path, scale]));
  const asyncColumns = group.asyncColumns.map((column) => {
    const scale = scales.get(pathText(column.pathInSchema));
    if (scale === undefined) return column;
    const textOf = (value: unknown) =>
      new JsonText(decimalText(value as number | bigint | Uint8Array, scale));
    const data = column.data.then((pages) => ({
      ...pages,
      data: pages.data.map((page) => eachValue(Array.from(page), textOf) as unknown[]),
    }));
    return { ...column, data };
  });
  return { ...group, asyncColumns };
}

/** The values of each row by column. */
export async function readParquet(
  file: ArrayBuffer,
): Promise<readonly ReadonlyMap<string, unknown>[]> {
  const metadata = await parquetMetadataAsync(file);
  const decimals = decimalsOf(parquetSchema(metadata));
  const elements = new Set(decimals.map(({ element }) => element));
  const schema = metadata.schema.map((one) => (elements.has(one) ? unscaled(one) : one));
  const stored = { ...metadata, schema };
  const groups = parquetReadAsync({ file, metadata: stored, compressors, parsers }).map((group) =>
    assembleAsync(withDecimals(group, decimals), parquetSchema(stored), parsers),
  );
  const rows = await Promise.all(
    groups.map(async (group) => {
      const names = group.asyncColumns.map(({ pathInSchema }) => pathInSchema[0]!);
      const cells = await asyncGroupToRows(group, 0, group.groupRows, undefined);
      return cells.map((row) => new Map(names.map((name, index) => [name, row[index] as unknown])));
    }),
  );
  return rows.flat();
}
