// Manifests, which list the files of a table, and manifest lists: Avro files with the fields that version 2 of the format requires.
import type { Schema } from 'avsc';
import { avroFile } from './avro.js';
import type { Field } from './columns.js';

type AvroType = string | object;

const field = (name: string, id: number, type: AvroType) => ({ name, 'field-id': id, type });
const optional = (name: string, id: number, type: AvroType) => ({
  ...field(name, id, ['null', type]),
  default: null,
});
const record = (name: string, fields: readonly object[]) => ({ type: 'record', name, fields });

/** A map from the ids of columns to bytes, as a list of pairs. */
const bounds = (keyId: number) => ({
  type: 'array',
  logicalType: 'map',
  items: record(`k${keyId}_v${keyId + 1}`, [
    field('key', keyId, 'int'),
    field('value', keyId + 1, 'bytes'),
  ]),
});

const entrySchema = record('manifest_entry', [
  field('status', 0, 'int'),
  optional('snapshot_id', 1, 'long'),
  optional('sequence_number', 3, 'long'),
  optional('file_sequence_number', 4, 'long'),
  field(
    'data_file',
    2,
    record('r2', [
      field('content', 134, 'int'),
      field('file_path', 100, 'string'),
      field('file_format', 101, 'string'),
      field('partition', 102, record('r102', [])),
      field('record_count', 103, 'long'),
      field('file_size_in_bytes', 104, 'long'),
      optional('lower_bounds', 125, bounds(126)),
      optional('upper_bounds', 128, bounds(129)),
      optional('referenced_data_file', 143, 'string'),
    ]),
  ),
]) as Schema;

const listSchema = record('manifest_file', [
  field('manifest_path', 500, 'string'),
  field('manifest_length', 501, 'long'),
  field('partition_spec_id', 502, 'int'),
  field('content', 517, 'int'),
  field('sequence_number', 515, 'long'),
  field('min_sequence_number', 516, 'long'),
  field('added_snapshot_id', 503, 'long'),
  field('added_files_count', 504, 'int'),
  field('existing_files_count', 505, 'int'),
  field('deleted_files_count', 506, 'int'),
  field('added_rows_count', 512, 'long'),
  field('existing_rows_count', 513, 'long'),
  field('deleted_rows_count', 514, 'long'),
]) as Schema;

/** The columns of files of position deletes. */
export const deleteColumnIds = { file_path: 2_147_483_546, pos: 2_147_483_545 } as const;

export interface Bound {
  /** The id of the column. */
  readonly key: number;
  readonly value: Buffer;
}

/** A data file, or a file with the positions of its dead rows. */
export interface TableFile {
  /** The number of the snapshot that added it. */
  readonly addedBy: number;
  readonly path: string;
  readonly rows: number;
  readonly bytes: number;
  /** For data files: of some of their columns. */
  readonly lower?: readonly Bound[];
  readonly upper?: readonly Bound[];
  /** For files of dead rows: the path of the data file. */
  readonly of?: string;
}

const status = { existing: 0, added: 1 } as const;
const contents = { data: 0, deletes: 1 } as const;

export type Content = keyof typeof contents;

/** One file of dead rows per data file, with its path as both bounds: Polars refuses others. */
function entryOf(content: Content, file: TableFile, snapshot: number) {
  const { addedBy, path, rows, bytes, of } = file;
  const onlyFile = of && [{ key: deleteColumnIds.file_path, value: Buffer.from(of) }];
  return {
    status: addedBy === snapshot ? status.added : status.existing,
    snapshot_id: addedBy,
    sequence_number: addedBy,
    file_sequence_number: addedBy,
    data_file: {
      content: contents[content],
      file_path: path,
      file_format: 'PARQUET',
      partition: {},
      record_count: rows,
      file_size_in_bytes: bytes,
      lower_bounds: onlyFile ?? file.lower ?? null,
      upper_bounds: onlyFile ?? file.upper ?? null,
      referenced_data_file: of ?? null,
    },
  };
}

/** @param snapshot the number of the snapshot, which is also its sequence number */
export const manifest = (
  content: Content,
  files: readonly TableFile[],
  fields: readonly Field[],
  schemaId: number,
  snapshot: number,
): Promise<Buffer> =>
  avroFile(
    entrySchema,
    {
      schema: JSON.stringify({ type: 'struct', 'schema-id': schemaId, fields }),
      'schema-id': String(schemaId),
      'partition-spec': '[]',
      'partition-spec-id': '0',
      'format-version': '2',
      content,
    },
    files.map((file) => entryOf(content, file, snapshot)),
  );

export interface ListedManifest {
  readonly path: string;
  readonly bytes: number;
  readonly content: Content;
  readonly files: readonly TableFile[];
}

function manifestEntry({ path, bytes, content, files }: ListedManifest, snapshot: number) {
  const added = files.filter(({ addedBy }) => addedBy === snapshot);
  const existing = files.filter(({ addedBy }) => addedBy !== snapshot);
  return {
    manifest_path: path,
    manifest_length: bytes,
    partition_spec_id: 0,
    content: contents[content],
    sequence_number: snapshot,
    min_sequence_number: files.reduce((least, { addedBy }) => Math.min(least, addedBy), snapshot),
    added_snapshot_id: snapshot,
    added_files_count: added.length,
    existing_files_count: existing.length,
    deleted_files_count: 0,
    added_rows_count: rowsOf(added),
    existing_rows_count: rowsOf(existing),
    deleted_rows_count: 0,
  };
}

const rowsOf = (files: readonly TableFile[]): number =>
  files.reduce((sum, { rows }) => sum + rows, 0);

export const manifestList = (
  manifests: readonly ListedManifest[],
  snapshot: number,
): Promise<Buffer> =>
  avroFile(
    listSchema,
    { 'format-version': '2', 'snapshot-id': String(snapshot), 'sequence-number': String(snapshot) },
    manifests.map((each) => manifestEntry(each, snapshot)),
  );
