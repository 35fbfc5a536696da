// Opens the catalog and the events of a data directory read-only. No server may use the directory.
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ownerOf } from '../catalog/accounts.js';
import { Catalog } from '../catalog/catalog.js';
import { storeSettings, type Config } from '../config.js';
import { Writer } from '../duckdb/writer.js';
import { refuseNewerDirectory, refuseOlderDirectory } from '../known-formats.js';
import type { KeyCaller } from '../service/context.js';
import { refuseOldManifest } from '../store/event-store.js';
import { ReadOnlyStore } from '../store/read-only-store.js';

export interface OpenedDirectory {
  readonly catalog: Catalog;
  readonly store: ReadOnlyStore;
  /** The first owner. */
  readonly caller: KeyCaller;
  close(): Promise<void>;
}

const manifestOf = (dataDirectory: string): string => path.join(dataDirectory, 'meta.duckdb');

/** Whether a server has used the directory. */
export const hasData = (dataDirectory: string): boolean => existsSync(manifestOf(dataDirectory));

function owner(catalog: Catalog): KeyCaller {
  const userId = ownerOf(catalog) ?? '';
  const orgIds = catalog.grants.organisationsOf(userId);
  return {
    kind: 'key',
    keyId: '',
    userId,
    orgIds,
    expires: null,
    permission: 'read',
    requestId: '',
  };
}

async function openParts(writer: Writer, config: Config, temporaryDirectory: string) {
  await refuseNewerDirectory(writer);
  await refuseOlderDirectory(writer);
  await refuseOldManifest(writer, config.dataDir);
  const catalog = await Catalog.open(writer);
  const options = { ...storeSettings(config), lastXactId: catalog.lastXactId };
  return { catalog, store: await ReadOnlyStore.open(writer, options, temporaryDirectory) };
}

/**
 * Opens the directory. No server can start on it until it is closed.
 * @throws EngineError `locked` if a server uses it; Error if another release wrote it or it is damaged
 */
export async function openDirectory(config: Config): Promise<OpenedDirectory> {
  const temporaryDirectory = await mkdtemp(path.join(tmpdir(), 'evalstore-explain-'));
  const removeFiles = () => rm(temporaryDirectory, { recursive: true, force: true });
  const settings = { memoryMb: config.writerMemoryMb, threads: 1 };
  let writer: Writer | undefined;
  try {
    writer = await Writer.openToRead(manifestOf(config.dataDir), {
      ...settings,
      temporaryDirectory: path.join(temporaryDirectory, 'writer'),
    });
    const { catalog, store } = await openParts(writer, config, temporaryDirectory);
    const opened = writer;
    return {
      catalog,
      store,
      caller: owner(catalog),
      close: async () => {
        await store.close();
        await opened.close();
        await removeFiles();
      },
    };
  } catch (error) {
    await writer?.abandon();
    await removeFiles();
    throw error;
  }
}
