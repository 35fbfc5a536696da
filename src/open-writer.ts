// Opens the database of a data directory, and checks that this release can use it.
import path from 'node:path';
import type { Config } from './config.js';
import { Writer } from './duckdb/writer.js';
import { refuseNewerDirectory } from './known-formats.js';
import { refuseOldManifest, requireManifest } from './store/event-store.js';

/** Threads for short write statements. */
const writerThreads = 1;

/**
 * @throws WrongManifest if the manifest is older than the data directory, Error if a newer release wrote it. The directory is
 * unchanged then.
 */
export async function openWriter({ dataDir, writerMemoryMb }: Config): Promise<Writer> {
  await requireManifest(dataDir);
  const writer = await Writer.open(path.join(dataDir, 'meta.duckdb'), {
    memoryMb: writerMemoryMb,
    threads: writerThreads,
  });
  try {
    await refuseNewerDirectory(writer);
    await refuseOldManifest(writer, dataDir);
    return writer;
  } catch (error) {
    await writer.abandon();
    throw error;
  }
}
