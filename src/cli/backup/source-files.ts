// The files of a data directory that a backup consists of, as its database lists them.
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { askForCopy } from '../../backup-socket.js';
import { completeFiles } from '../../catalog/attachments.js';
import { bodyFileNames } from '../../catalog/body-files.js';
import { filesBeside } from '../../duckdb/transaction-count.js';
import { hasTable } from '../../duckdb/has-table.js';
import { Writer } from '../../duckdb/writer.js';
import { directoryUnused } from '../../errors.js';
import { maxBigint } from '../../schema/xact-id.js';
import { lastTransactionFile } from '../../store/log/last-transaction.js';
import { logDirectory, logFile } from '../../store/log/event-log.js';
import { inspectLog } from '../../store/log/read-log.js';
import { readGenerations } from '../../store/manifest/generations.js';
import { readSegments } from '../../store/manifest/segments.js';
import { readUploaded } from '../../store/manifest/uploads.js';
import { SegmentFiles } from '../../store/segment/segment-files.js';

export const database = 'meta.duckdb';

/** A file to back up; without a checksum, it is not known yet. */
export interface SourceFile {
  /** Relative to the data directory, with slashes. */
  readonly path: string;
  /** By default, all of the file. */
  readonly bytes?: number;
  readonly crc32?: number;
}

export interface Source {
  readonly directory: string;
  readonly transaction: bigint;
  readonly files: readonly SourceFile[];
  /** Whether the server that keeps the files has ended. */
  isLost(): boolean;
}

async function listFrom(
  writer: Writer,
  logs: Readonly<Record<string, number>> | null,
): Promise<Pick<Source, 'transaction' | 'files'>> {
  const { directory } = writer;
  const segmentFiles = new SegmentFiles(path.resolve(directory, 'segments'));
  const toFile = (file: string) =>
    path.relative(path.resolve(directory), path.resolve(file)).replaceAll(path.sep, '/');
  return writer.use(async (connection) => {
    const found: SourceFile[] = [];
    let transaction = 0n;
    const hasStore = await hasTable(connection, 'segment');
    const uploaded = new Set(hasStore ? await readUploaded(connection) : []);
    for (const segment of hasStore ? await readSegments(connection) : []) {
      const isEvicted = segmentFiles.of(segment).some(({ file }) => !existsSync(file));
      if (isEvicted && uploaded.has(segment.source))
        throw new Error(
          'files of segments are only in the bucket of EVALSTORE_BUCKET, which a backup does not read: take a snapshot of the volume instead',
        );
      transaction = maxBigint(transaction, segment.lastXactId);
      for (const { kind, file } of segmentFiles.of(segment))
        found.push({ path: toFile(file), ...segment.checksums[kind] });
    }
    for (const { file, bytes } of await completeFiles(connection))
      found.push({ path: `attachments/${file}`, bytes });
    for (const file of await bodyFileNames(connection)) found.push({ path: `objects/${file}` });
    for (const { source, afterXactId } of hasStore ? await readGenerations(connection) : []) {
      const file = logFile(logDirectory(directory), source);
      const content = logs === null ? await inspectLog(file, source) : null;
      if (content !== null && content.damage !== null) throw new Error(content.damage);
      transaction = [afterXactId, content?.lastXactId ?? 0n].reduce(maxBigint, transaction);
      found.push({ path: toFile(file), bytes: content?.end ?? logs![path.basename(file)]! });
    }
    const meta = path.join(directory, database);
    for (const file of [lastTransactionFile(directory), ...filesBeside(meta), meta])
      if (existsSync(file)) found.push({ path: toFile(file) });
    return { transaction, files: found };
  });
}

/**
 * Calls `work` with the files of one transaction: of the running server, or of the directory, which no server can use meanwhile.
 * @throws Error if there is no data directory, or it cannot be read
 */
export async function withSource<T>(
  dataDirectory: string,
  work: (source: Source) => Promise<T>,
): Promise<T> {
  if (!existsSync(path.join(dataDirectory, database)))
    throw new Error(directoryUnused(dataDirectory));
  const temporaryDirectory = await mkdtemp(path.join(tmpdir(), 'evalstore-backup-'));
  const copy = await askForCopy(dataDirectory);
  let writer: Writer | undefined;
  try {
    const directory = copy?.directory ?? dataDirectory;
    const settings = { memoryMb: 512, threads: 1, temporaryDirectory };
    writer = await Writer.openToRead(path.join(directory, database), settings);
    const listed = await listFrom(writer, copy?.logs ?? null);
    const transaction = copy?.transaction ?? listed.transaction;
    return await work({
      ...listed,
      transaction,
      directory,
      isLost: () => copy?.isLost() === true,
    });
  } finally {
    await writer?.close();
    copy?.release();
    await rm(temporaryDirectory, { recursive: true, force: true });
  }
}
