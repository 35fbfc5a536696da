// `evalstore backup`: copies the files of one transaction that the target lacks, and describes the backup last.
import { createReadStream } from 'node:fs';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import type { Config } from '../../config.js';
import { serverVersion } from '../../http/version.js';
import { UsageError, type Context } from '../context.js';
import {
  descriptionNames,
  descriptions,
  files,
  isName,
  nameOf,
  readDescription,
  verified,
  writeDescription,
  type BackedUpFile,
} from './description.js';
import { withProgress, type Progress } from '../progress.js';
import { withRemote, type RemoteDirectory } from './remote-directory.js';
import { someAtOnce } from './some-at-once.js';
import { withSource, type Source, type SourceFile } from './source-files.js';

export interface BackupOptions {
  readonly dataDir?: string;
  readonly keep?: string;
  readonly json?: boolean;
}

function keptOf({ keep }: BackupOptions): number {
  if (keep === undefined) return Infinity;
  if (!/^[1-9]\d*$/.test(keep))
    throw new UsageError(`--keep: expected a number from 1, got "${keep}"`);
  return Number(keep);
}

const chunkBytes = 2 ** 20;

/** Opens the file at the first chunk. */
async function* bytesOf(source: Source, { path: file, bytes }: SourceFile): AsyncGenerator<Buffer> {
  if (bytes === 0) return;
  yield* createReadStream(path.join(source.directory, file), {
    highWaterMark: chunkBytes,
    ...(bytes === undefined ? {} : { end: bytes - 1 }),
  }) as AsyncIterable<Buffer>;
}

/** Attachments and texts of objects never change, and no two have the same name. */
const isNamedOnce = ({ path: file }: SourceFile): boolean => /^(attachments|objects)\//.test(file);

async function withChecksum(
  source: Source,
  file: SourceFile,
  known: ReadonlyMap<string, BackedUpFile>,
): Promise<BackedUpFile> {
  const { bytes, crc32: sum } = file;
  if (bytes !== undefined && sum !== undefined) return { path: file.path, bytes, crc32: sum };
  const before = isNamedOnce(file) ? known.get(file.path) : undefined;
  if (before !== undefined) return before;
  const found = { path: file.path, bytes: 0, crc32: 0 };
  for await (const chunk of bytesOf(source, file)) {
    found.bytes += chunk.length;
    found.crc32 = crc32(chunk, found.crc32);
  }
  return found;
}

interface Copied {
  readonly files: readonly BackedUpFile[];
  readonly copiedFiles: number;
  readonly copiedBytes: number;
}

async function copyMissing(
  source: Source,
  remote: RemoteDirectory,
  known: ReadonlyMap<string, BackedUpFile>,
  progress: Progress,
): Promise<Copied> {
  const there = new Map<string, number>();
  for await (const { key, bytes } of remote.list(files)) there.set(key, bytes);
  const described: BackedUpFile[] = [];
  let [copiedFiles, copiedBytes] = [0, 0];
  await someAtOnce(source.files, async (each) => {
    const file = await withChecksum(source, each, known);
    described.push(file);
    const name = nameOf(file);
    if (there.get(name) === file.bytes) return;
    const open = () => verified(bytesOf(source, each), file, source.directory, progress);
    await remote.put(name, { ...file, open });
    progress.add(1);
    copiedFiles += 1;
    copiedBytes += file.bytes;
  });
  return { files: described, copiedFiles, copiedBytes };
}

/** Removes old backups, then the files that none names. */
async function removeOld(remote: RemoteDirectory, keep: number): Promise<number> {
  const names = await descriptionNames(remote);
  const old = names.slice(0, -keep);
  const kept = await Promise.all(names.slice(-keep).map((name) => readDescription(remote, name)));
  for (const name of old) await remote.delete(name);
  const named = new Set(kept.flatMap((backup) => backup.files.map(nameOf)));
  const unnamed: string[] = [];
  for await (const { key } of remote.list(files))
    if (!named.has(key) && isName(key)) unnamed.push(key);
  await someAtOnce(unnamed, (key) => remote.delete(key));
  return old.length;
}

interface Done extends Copied {
  readonly transaction: string;
  readonly time: string;
  readonly removed: number;
}

async function backUpTo(
  remote: RemoteDirectory,
  dataDir: string,
  keep: number,
  progress: Progress,
): Promise<Done> {
  const newest = (await descriptionNames(remote)).at(-1);
  const known = newest === undefined ? [] : (await readDescription(remote, newest)).files;
  const done = await withSource(dataDir, async (source) => {
    const time = new Date().toISOString();
    const byPath = new Map(known.map((file) => [file.path, file]));
    for (const prefix of [files, descriptions]) await remote.removeUnfinished?.(prefix);
    const copied = await copyMissing(source, remote, byPath, progress).catch((error: unknown) => {
      if (!source.isLost()) throw error;
      throw new Error(
        'the server ended during the backup, which is not finished: run the command again',
        { cause: error },
      );
    });
    const transaction = String(source.transaction);
    const about = { format: 1 as const, evalstore: serverVersion.version, transaction, time };
    await writeDescription(remote, { ...about, files: [...copied.files] });
    return { ...copied, transaction, time };
  });
  return { ...done, removed: keep === Infinity ? 0 : await removeOld(remote, keep) };
}

/** @throws Error if it cannot be done, UsageError for a wrong option */
export async function backUp(
  config: Config,
  context: Context,
  target: string,
  options: BackupOptions,
): Promise<void> {
  const keep = keptOf(options);
  const { print } = context;
  const { transaction, time, copiedFiles, copiedBytes, removed, ...done } = await withRemote(
    target,
    config,
    (remote) =>
      withProgress(context, { label: target, unit: 'files' }, (progress) =>
        backUpTo(remote, config.dataDir, keep, progress),
      ),
  );
  if (options.json === true)
    print(
      JSON.stringify({
        backup: target,
        transaction,
        time,
        files: done.files.length,
        copied_files: copiedFiles,
        copied_bytes: copiedBytes,
        removed_backups: removed,
      }),
    );
  else
    print(
      `backed up transaction ${transaction} to ${target}: ${done.files.length} files, ${copiedFiles} of them new with ${(copiedBytes / 1e6).toFixed(1)} MB`,
    );
}
