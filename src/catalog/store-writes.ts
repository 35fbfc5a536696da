// Stores writes to objects: the files of large texts first, then everything else in one transaction, and then removes the files that
// no row names any more. A crash in between leaves a file that is not used.
import type { Writer, WriteConnection } from '../duckdb/writer.js';
import { UnknownOutcomeError } from '../errors.js';
import type { AuditAction } from './audit-log.js';
import type { BodyFiles, WrittenFile } from './body-files.js';
import type { ObjectFields, ObjectHeader } from './header.js';
import { toRowBody, type RowBody } from './row-body.js';
import { insertedObject, insertedVersion, selectFiles, updatedObject } from './statements.js';
import { statementsOf, type TableRow } from './table-rows.js';

/** A write of an object, which occurs in one write of a transaction. */
export interface Write {
  /** Further rows of its transaction. */
  readonly also?: readonly TableRow[];
  readonly header: ObjectHeader;
  readonly fields: ObjectFields;
  readonly isNew: boolean;
}

/** A write with the JSON text of its fields. */
export type StoredWrite = Write & { readonly body: string };

export function actionOf({ header, isNew }: Write): AuditAction {
  if (header.deleted) return 'delete';
  return isNew ? 'create' : 'update';
}

/**
 * @param entryOf the row of a write in the audit log
 * @throws RequestError 503 if the storage cannot be written; UnknownOutcomeError if it is not known whether the writes are stored
 */
export async function storeWrites(
  writer: Writer,
  files: BodyFiles,
  writes: readonly StoredWrite[],
  entryOf: (write: Write) => TableRow,
): Promise<void> {
  const written: WrittenFile[] = [];
  const rows: (StoredWrite & { readonly row: RowBody })[] = [];
  const replaced: string[] = [];
  try {
    for (const write of writes)
      rows.push({ ...write, row: await toRowBody(files, write, written) });
    await writer.transaction(async (connection) => {
      replaced.push(...(await filesToReplace(connection, rows)));
      const tableRows = rows.flatMap((write) => [...rowsOf(write), entryOf(write)]);
      for (const statement of statementsOf(tableRows)) await connection.run(statement);
    });
  } catch (error) {
    const mayBeStored = error instanceof UnknownOutcomeError;
    const added = written.flatMap(({ name, wasThere }) => (wasThere ? [] : [name]));
    if (!mayBeStored) await files.remove(added);
    throw error;
  }
  const latest = new Map(rows.map(({ header, row }) => [header.id, row.file]));
  const used = new Set(latest.values());
  await files.remove(replaced.filter((name) => !used.has(name)));
}

const rowsOf = ({ header, isNew, row, also = [] }: Write & { readonly row: RowBody }) => [
  (isNew ? insertedObject : updatedObject)(header, row),
  ...(header.xactId === null ? [] : [insertedVersion(header, row)]),
  ...also,
];

/** The files of changed objects of kinds without versions. Of other kinds, each version keeps its file. */
async function filesToReplace(
  connection: WriteConnection,
  writes: readonly Write[],
): Promise<readonly string[]> {
  const changed = writes.filter(({ header, isNew }) => !isNew && header.xactId === null);
  if (changed.length === 0) return [];
  const rows = await connection.read(selectFiles(changed.map(({ header }) => header.id)));
  return rows.map(({ file }) => file as string);
}
