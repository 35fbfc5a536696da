// Checks the runs of a Parquet page: hyparquet repeats a value as often as a run says, whatever the number of values is.
import type { Encoding, PageHeader, SchemaTree } from 'hyparquet';
import { getMaxDefinitionLevel, getMaxRepetitionLevel } from 'hyparquet/src/schema.js';
import { readVarInt } from 'hyparquet/src/thrift.js';

type Lengths = Pick<
  NonNullable<PageHeader['data_page_header_v2']>,
  'repetition_levels_byte_length' | 'definition_levels_byte_length'
>;

const viewOf = ({ buffer, byteOffset, length }: Uint8Array): DataView =>
  new DataView(buffer, byteOffset, length);

/**
 * Checks the levels at the begin of the page, and returns the index of the byte after them.
 * @param lengths those of the levels in a page of version 2; null for version 1
 * @throws Error
 */
export function levelsOfPage(
  page: Uint8Array,
  schemaPath: SchemaTree[],
  count: number,
  lengths: Lengths | null,
): number {
  const view = viewOf(page);
  const levels = [
    [getMaxRepetitionLevel(schemaPath), lengths?.repetition_levels_byte_length],
    [getMaxDefinitionLevel(schemaPath), lengths?.definition_levels_byte_length],
  ] as const;
  let at = 0;
  for (const [max, length] of levels) {
    if (max === 0) {
      at += length ?? 0;
      continue;
    }
    const start = length === undefined ? at + 4 : at;
    const end = start + (length ?? view.getUint32(at, true));
    checkRuns(view, { start, end, width: 32 - Math.clz32(max) }, count);
    at = end;
  }
  return at;
}

/** @throws Error */
export function checkDictionaryRuns(
  page: Uint8Array,
  start: number,
  encoding: Encoding,
  count: number,
): void {
  const view = viewOf(page);
  if (encoding.endsWith('_DICTIONARY') && start < page.length)
    checkRuns(view, { start: start + 1, end: page.length, width: view.getUint8(start) }, count);
  if (encoding === 'RLE') checkRuns(view, { start: start + 4, end: page.length, width: 1 }, count);
}

/** Values that writers add to fill the last run. */
const fillMax = 512;

function checkRuns(
  view: DataView,
  { start, end, width }: { readonly start: number; readonly end: number; readonly width: number },
  count: number,
): void {
  if (width > 32 || end > view.byteLength) throw new Error('a run is outside of its page');
  const reader = { view, offset: start };
  for (let seen = 0; seen < count && reader.offset < end;) {
    const header = readVarInt(reader);
    const isPacked = (header & 1) === 1;
    const values = isPacked ? (header >>> 1) * 8 : header >>> 1;
    reader.offset += isPacked ? (header >>> 1) * width : Math.ceil(width / 8);
    seen += values;
    if (seen > count + fillMax) throw new Error('a run is longer than its page');
  }
}
