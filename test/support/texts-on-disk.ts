// Which files of a directory hold texts: as bytes, or in the rows of a Parquet file as an independent reader decodes them.
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';

const textOf = (value: unknown): string =>
  JSON.stringify(value, (_key, each: unknown) => (typeof each === 'bigint' ? String(each) : each));

const bufferOf = ({ buffer, byteOffset, byteLength }: Buffer): ArrayBuffer =>
  buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer;

export interface FoundTexts {
  /** The file and the text. */
  readonly found: readonly string[];
  /** Rows that were decoded. */
  readonly rows: number;
}

/** @param except a file that is not searched */
export async function textsOnDisk(
  directory: string,
  texts: readonly string[],
  except?: string,
): Promise<FoundTexts> {
  const found: string[] = [];
  let decoded = 0;
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    const file = path.join(entry.parentPath, entry.name);
    if (!entry.isFile() || file === except) continue;
    const bytes = await readFile(file);
    const isParquet = bytes.subarray(0, 4).toString() === 'PAR1';
    const rows = isParquet ? await parquetReadObjects({ file: bufferOf(bytes), compressors }) : [];
    decoded += rows.length;
    for (const text of texts)
      if (bytes.includes(text) || rows.some((row) => textOf(row).includes(text)))
        found.push(`${file}: ${text}`);
  }
  return { found, rows: decoded };
}
