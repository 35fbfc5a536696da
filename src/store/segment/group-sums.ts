// What stays on the disk of a row file that is only in the bucket: its footer, and the checksum of each row group, so that a few rows
// cost a few ranges, which are verified.
import { open, readFile, writeFile } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { writeDurably } from '../../durable-file.js';
import { parseFooter, readBytes, readMetadata, type Footer } from './parquet-footer.js';

export interface SummedFooter extends Footer {
  /** The CRC-32 of the pages of each row group. */
  readonly sums: readonly number[];
}

/** The checksum of all that follows, and the number of row groups, as uint32. */
const headBytes = 8;

export async function writeGroupSums(rowFile: string, target: string): Promise<void> {
  const file = await open(rowFile);
  try {
    const { bytes: metadata } = await readMetadata(file);
    const { groups } = await parseFooter(metadata);
    const rest = Buffer.alloc(4 + 4 * groups.length);
    rest.writeUInt32LE(groups.length);
    for (const [at, { start, end }] of groups.entries())
      rest.writeUInt32LE(crc32(await readBytes(file, start, end - start)), 4 + 4 * at);
    const sum = Buffer.alloc(4);
    sum.writeUInt32LE(crc32(metadata, crc32(rest)));
    const content = Buffer.concat([sum, rest, metadata]);
    await writeDurably(target, (temporary) => writeFile(temporary, content));
  } finally {
    await file.close();
  }
}

/** Null if the file is missing or damaged: the row file has to be read as a whole then. */
export async function readGroupSums(file: string): Promise<SummedFooter | null> {
  const content = await readFile(file).catch(() => null);
  if (content === null || content.length < headBytes) return null;
  if (crc32(content.subarray(4)) !== content.readUInt32LE()) return null;
  const count = content.readUInt32LE(4);
  const sums = Array.from({ length: count }, (_, at) => content.readUInt32LE(headBytes + 4 * at));
  const footer = await parseFooter(content.subarray(headBytes + 4 * count));
  return { ...footer, sums };
}
