// Reads the rows of a Parquet file, a row group after the other.
import {
  parquetMetadata,
  parquetSchema,
  type FileMetaData,
  type RowGroup,
  type SchemaTree,
} from 'hyparquet';
import { getTreePath } from 'hyparquet/src/schema.js';
import { badRequest } from '../../errors.js';
import type { JsonValue } from '../../json/json.js';
import { limits } from '../../schema/limits.js';
import type { TextLimits } from '../body-text.js';
import {
  brokenColumn,
  brokenFile,
  budgetOf,
  unlessBroken,
  unsupported,
  type Budget,
} from './budget.js';
import { readColumn } from './column.js';
import { leafReader } from './leaf.js';
import { valuesOf } from './nested.js';

/** A column of the schema, with the values of some rows. */
export interface ReadColumn {
  readonly name: string;
  readonly values: readonly JsonValue[];
}

/** Rows from the index `first` on. */
export interface ReadRows {
  readonly first: number;
  readonly count: number;
  readonly columns: readonly ReadColumn[];
}

/** @param bytesMax the largest size of the file without compression */
export interface ParquetLimits extends TextLimits {
  readonly decodedBytesMax?: number;
}

const [mark, footerBytesMax, elementsMax, levelsMax] = ['PAR1', 2 ** 23, 10_000, 50];

/** @throws RequestError 400 */
function metadataOf(file: Buffer): FileMetaData {
  const end = file.length - 8;
  if (end < 4 || file.toString('latin1', end + 4) !== mark)
    throw badRequest('request body: expected a Parquet file');
  const length = file.readUInt32LE(end);
  if (length > end) throw brokenFile();
  if (length > footerBytesMax)
    throw badRequest('request body: expected a Parquet file with a footer of at most 8 MB');
  const footer = new Uint8Array(file.buffer, file.byteOffset + end - length, length + 8);
  return unlessBroken(() => parquetMetadata(footer, { geoparquet: false }), brokenFile);
}

const depthOf = ({ children }: SchemaTree): number => 1 + Math.max(0, ...children.map(depthOf));

/** The columns of the file, with its metadata. */
export interface ParquetFile {
  readonly bytes: Buffer;
  readonly metadata: FileMetaData;
  readonly columns: readonly SchemaTree[];
}

/** @throws RequestError 400 */
export function openParquet(bytes: Buffer): ParquetFile {
  const metadata = metadataOf(bytes);
  return unlessBroken(() => ({ bytes, metadata, columns: columnsOf(metadata) }), brokenFile);
}

/** @throws RequestError 400, or another error for metadata that is damaged */
function columnsOf(metadata: FileMetaData): readonly SchemaTree[] {
  const { row_groups: groups, schema } = metadata;
  const counts = groups.map(({ num_rows: count }) => Number(count));
  if (!counts.every((count) => count >= 0)) throw brokenFile();
  if (!schema.every(({ name }) => typeof name === 'string')) throw brokenFile();
  const { max } = limits.events;
  const rows = counts.reduce((sum, count) => sum + count, 0);
  if (rows > max) throw badRequest(`request body: expected at most ${max} events, got ${rows}`);
  if (schema.length > elementsMax)
    throw badRequest(`request body: expected at most ${elementsMax} columns, got more`);
  const { children } = parquetSchema(metadata);
  if (children.some((child) => depthOf(child) > levelsMax))
    throw badRequest(`request body: expected columns of at most ${levelsMax} levels, got more`);
  return children;
}

/**
 * Yields the rows of each group with the named columns.
 * @throws RequestError 400, 413
 */
export function* rowsOf(
  file: ParquetFile,
  names: ReadonlySet<string>,
  { decodedBytesMax = Infinity, ...textLimits }: ParquetLimits,
): Generator<ReadRows, void> {
  const budget = budgetOf(decodedBytesMax);
  const trees = file.columns.filter(({ element: { name } }) => names.has(name));
  let first = 0;
  for (const group of file.metadata.row_groups) {
    const count = Number(group.num_rows);
    if (count === 0) continue;
    const columns = trees.map((tree) => {
      const { name } = tree.element;
      const read = () => readGroup(file, { group, tree }, { textLimits, budget });
      const values = unlessBroken(read, () => brokenColumn(name));
      if (values.length !== count) throw brokenColumn(name);
      return { name, values };
    });
    yield { first, count, columns };
    first += count;
  }
}

interface GroupColumn {
  readonly group: RowGroup;
  readonly tree: SchemaTree;
}

function readGroup(
  { bytes, metadata }: ParquetFile,
  { group, tree }: GroupColumn,
  { textLimits, budget }: { readonly textLimits: TextLimits; readonly budget: Budget },
): readonly JsonValue[] {
  const { name } = tree.element;
  const root = parquetSchema(metadata);
  const leaves = new Map<string, readonly unknown[]>();
  for (const { meta_data: chunk, file_path: other } of group.columns) {
    if (chunk?.path_in_schema[0] !== name) continue;
    if (other !== undefined) throw unsupported(name, 'a part in another file', ['one file']);
    const schemaPath = getTreePath(root, chunk.path_in_schema);
    const valueOf = leafReader({ name, element: schemaPath.at(-1)!.element, textLimits });
    const column = { name, metadata: chunk, schemaPath, valueOf };
    leaves.set(chunk.path_in_schema.join('.'), readColumn(bytes, column, budget));
  }
  return valuesOf(tree, leaves);
}
