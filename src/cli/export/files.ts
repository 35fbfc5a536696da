// Writes the files of an export, each as a whole or not at all, and computes what the manifest says of them.
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { writeDurably } from '../../durable-file.js';
import type { Client } from '../connection.js';
import type { Progress } from '../progress.js';
import type { Journal } from './journal.js';
import { faultOf, type ExportedFile, type FileFormat } from './manifest.js';

export interface Export {
  readonly client: Client;
  readonly journal: Journal;
  readonly directory: string;
  readonly format: FileFormat;
  /** The transaction at which all rows are read. */
  readonly version: string;
  readonly progress: Progress;
}

/** Where files go, and what counts them. */
type Into = Pick<Export, 'directory' | 'progress'>;

export type Content = AsyncIterable<string | Uint8Array>;

/** A file that an earlier run wrote is kept if it is still as that run noted. */
export async function fileOnce<T extends ExportedFile | null>(
  { journal, directory }: Pick<Export, 'journal' | 'directory'>,
  step: string,
  write: () => Promise<T>,
): Promise<T> {
  const earlier = journal.valueOf(step) as T | undefined;
  if (earlier && (await faultOf(directory, earlier)) !== null) journal.forget(step);
  return journal.once(step, write);
}

/** Writes a file of these bytes. `rows` says how many rows the bytes are, once all are written. */
export async function writeFileOf(
  { directory, progress }: Into,
  name: string,
  content: Content,
  rows: () => number,
): Promise<ExportedFile> {
  const file = path.join(directory, name);
  await mkdir(path.dirname(file), { recursive: true });
  const hash = createHash('sha256');
  let bytes = 0;
  const counted = async function* (parts: Content) {
    for await (const part of parts) {
      hash.update(part);
      const size = Buffer.byteLength(part);
      bytes += size;
      progress.addBytes(size);
      yield part;
    }
  };
  await writeDurably(file, (temporary) =>
    pipeline(Readable.from(content), counted, createWriteStream(temporary)),
  );
  return { path: name, rows: rows(), bytes, sha256: hash.digest('hex') };
}

export interface RowsRequest {
  readonly query: string;
  readonly fmt: FileFormat;
  readonly version?: string;
  readonly types?: Readonly<Record<string, string>>;
}

/** Writes the answer to a query. Returns the version that it read, too. */
export async function writeRows(
  { client, ...into }: Into & Pick<Export, 'client'>,
  name: string,
  request: RowsRequest,
): Promise<ExportedFile & { readonly version: string }> {
  const answer = await client.send('POST', '/query', request);
  let lines = 0;
  const content = async function* () {
    for await (const part of bodyOf(answer)) {
      if (request.fmt === 'jsonl') lines += newlinesIn(part);
      yield part;
    }
  };
  const rows = () =>
    request.fmt === 'jsonl' ? lines : Number(answer.headers.get('x-evalstore-rows') ?? 0);
  const file = await writeFileOf(into, name, content(), rows);
  into.progress.add(file.rows);
  return { ...file, version: answer.headers.get('x-evalstore-version') ?? '' };
}

export const bodyOf = ({ body }: Response): AsyncIterable<Uint8Array> => Readable.fromWeb(body!);

const newline = 0x0a;

function newlinesIn(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, at + 1)) count += 1;
  return count;
}

/** The lines of an answer in JSON Lines. */
export async function* linesOf(answer: Response): AsyncGenerator<string> {
  let rest = '';
  for await (const part of answer.body!.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + part).split('\n');
    rest = lines.pop()!;
    yield* lines;
  }
  if (rest !== '') yield rest;
}
