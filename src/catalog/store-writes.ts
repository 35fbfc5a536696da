// Stores writes to objects: the files of large texts first, then everything else in one transaction, and then removes the files that
// no row names any more. A crash in between leaves a file that is not used.
import type { Sql } from '../duckdb/sql.js';
import type { Writer, WriteConnection } from '../duckdb/writer.js';
import { UnknownOutcomeError } from '../errors.js';
import type { BodyFiles, WrittenFile } from './body-files.js';
import type { ObjectFields, ObjectHeader } from './header.js';
import { toRowBody, type RowBody } from './row-body.js';
import { insertVersion, selectFile } from './statements.js';

/** A write with its header and statements. */
export interface Write {
  /** Further statements of its transaction. */
  readonly also?: readonly Sql[];
  readonly header: ObjectHeader;
  readonly fields: ObjectFields;
  readonly statement: (header: ObjectHeader, body: RowBody) => Sql;
}

/** A write with the JSON text of its fields. */
type StoredWrite = Write & { readonly body: string };

/**
 * @param entryOf the statement that adds the entry of a write to the audit log
 * @throws RequestError 503 if the storage cannot be written; UnknownOutcomeError if it is not known whether the writes are stored
 */
export async function storeWrites(
  writer: Writer,
  files: BodyFiles,
  writes: readonly StoredWrite[],
  entryOf: (write: Write) => Sql,
): Promise<void> {
  const written: WrittenFile[] = [];
  const rows: (StoredWrite & { readonly row: RowBody })[] = [];
  const replaced: string[] = [];
  try {
    for (const write of writes)
      rows.push({ ...write, row: await toRowBody(files, write, written) });
    await writer.transaction(async (connection) => {
      for (const write of rows) {
        replaced.push(...(await filesToReplace(connection, write.header)));
        for (const statement of statementsOf(write)) await connection.run(statement);
        await connection.run(entryOf(write));
      }
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

const statementsOf = ({ header, statement, row, also = [] }: Write & { readonly row: RowBody }) => [
  statement(header, row),
  ...(header.xactId === null ? [] : [insertVersion(header, row)]),
  ...also,
];

/** The file of an object of a kind without versions. Of other kinds, each version keeps its file. */
async function filesToReplace(
  connection: WriteConnection,
  { id, xactId }: ObjectHeader,
): Promise<readonly string[]> {
  if (xactId !== null) return [];
  const rows = await connection.read(selectFile(id));
  return rows.map(({ file }) => file as string);
}
