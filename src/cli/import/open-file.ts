// Opens a file or standard input: decompresses it, and guesses its format.
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { UsageError } from '../context.js';
import { compressions } from './decompress.js';
import { isForeign, type ForeignName } from './foreign/foreign-formats.js';
import {
  archiveFormat,
  documentFormat,
  fileFormats,
  formatNames,
  type FileFormat,
  type FormatName,
} from './formats/formats.js';
import type { Bytes, Row } from './row.js';

export const standardInput = '-';

export interface OpenFile {
  readonly format: FileFormat;
  readonly rows: AsyncIterable<Row>;
}

export async function sizeOf(file: string): Promise<number | undefined> {
  if (file === standardInput) return undefined;
  try {
    return (await stat(file)).size;
  } catch {
    throw new UsageError(`${file}: there is no such file`);
  }
}

/** The first part that is not empty, and all parts. */
async function peeked(bytes: Bytes): Promise<readonly [Buffer, Bytes]> {
  const parts = bytes[Symbol.asyncIterator]();
  const first = await parts.next();
  const start = first.done === true ? Buffer.alloc(0) : Buffer.from(first.value);
  const all = async function* () {
    yield start;
    for (;;) {
      const next = await parts.next();
      if (next.done === true) return;
      yield next.value;
    }
  };
  return [start, all()];
}

const startsWith = (bytes: Buffer, magic: Buffer): boolean =>
  bytes.subarray(0, magic.length).equals(magic);

function guessed(file: string, start: Buffer): FormatName {
  const ending = path
    .extname(file.replace(/\.(?:gz|zst|zstd)$/i, ''))
    .slice(1)
    .toLowerCase();
  const named = formatNames.find((name) =>
    (fileFormats[name].endings as readonly string[]).includes(ending),
  );
  if (named !== undefined) return named;
  if (startsWith(start, Buffer.from('PAR1'))) return 'parquet';
  const text = start.toString().trimStart();
  if (text.startsWith('[')) return 'json';
  if (text.startsWith('{')) return 'jsonl';
  throw new UsageError(
    `${file}: the format does not follow from the name and the first characters: name it with --from`,
  );
}

/** Files of tools are also archives, and their JSON can be indented. */
function formatOfTool(file: string, start: Buffer): FileFormat {
  if (startsWith(start, Buffer.from('PK'))) return archiveFormat;
  const name = guessed(file, start);
  return name === 'jsonl' ? documentFormat : fileFormats[name];
}

/** `onBytes` gets the number of bytes read from the file. */
export async function openFile(
  file: string,
  from: FormatName | ForeignName | undefined,
  onBytes: (count: number) => void,
): Promise<OpenFile> {
  const source = file === standardInput ? process.stdin : createReadStream(file);
  const counted = async function* () {
    for await (const part of source as AsyncIterable<Buffer>) {
      onBytes(part.length);
      yield part;
    }
  };
  let [start, bytes] = await peeked(counted());
  const compression = compressions.find(({ magic }) => startsWith(start, magic));
  if (compression !== undefined) [start, bytes] = await peeked(compression.decompress(bytes));
  const format: FileFormat =
    from !== undefined && isForeign(from)
      ? formatOfTool(file, start)
      : fileFormats[from ?? guessed(file, start)];
  const { read } = format;
  if ('bytes' in read) return { format, rows: read.bytes(bytes) };
  if (file === standardInput || compression !== undefined)
    throw new UsageError(
      `${file}: ${format.title} is read from a file that is not compressed as a whole`,
    );
  source.destroy();
  return { format, rows: read.file(file) };
}
