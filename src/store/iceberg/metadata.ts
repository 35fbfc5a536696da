// The metadata of a table, version 2 of the format, as the catalog serves it.
import { lastIdOf, type Field, type TableColumns } from './columns.js';

/** Older ones are removed with their files. */
export const snapshotsMax = 3;

interface TableSchema {
  readonly type: 'struct';
  readonly 'schema-id': number;
  readonly fields: readonly Field[];
}

interface TableSnapshot {
  readonly 'snapshot-id': number;
  readonly 'parent-snapshot-id'?: number;
  readonly 'sequence-number': number;
  readonly 'timestamp-ms': number;
  readonly 'manifest-list': string;
  readonly summary: { readonly operation: 'append' | 'overwrite' };
  readonly 'schema-id': number;
}

export interface TableMetadata {
  readonly 'format-version': 2;
  readonly 'table-uuid': string;
  readonly location: string;
  readonly 'last-sequence-number': number;
  readonly 'last-updated-ms': number;
  readonly 'last-column-id': number;
  readonly 'current-schema-id': number;
  readonly schemas: readonly TableSchema[];
  readonly 'default-spec-id': 0;
  readonly 'partition-specs': readonly [{ readonly 'spec-id': 0; readonly fields: readonly [] }];
  readonly 'last-partition-id': 999;
  readonly 'default-sort-order-id': 0;
  readonly 'sort-orders': readonly [{ readonly 'order-id': 0; readonly fields: readonly [] }];
  readonly properties: Readonly<Record<string, string>>;
  readonly 'current-snapshot-id': number;
  readonly snapshots: readonly TableSnapshot[];
  readonly 'snapshot-log': readonly {
    readonly 'snapshot-id': number;
    readonly 'timestamp-ms': number;
  }[];
  readonly refs: { readonly main: { readonly 'snapshot-id': number; readonly type: 'branch' } };
}

export interface NextSnapshot {
  /** Of a new table. */
  readonly uuid: string;
  readonly location: string;
  readonly columns: TableColumns;
  /** The address of its manifest list. */
  readonly list: string;
  /** Whether all files of the snapshot before are in it, with the same dead rows. */
  readonly onlyAdds: boolean;
  /** The places of the snapshots that stay, from `staying`. */
  readonly kept: readonly number[];
  /** Milliseconds since 1970. */
  readonly nowMs: number;
}

/**
 * The number of the next snapshot, which is its id and its sequence number. That of the first one is in seconds since 1970, so that
 * a table that begins anew uses no names of objects again.
 */
export const nextNumber = (before: TableMetadata | null, nowMs: number): number =>
  before === null ? Math.floor(nowMs / 1000) : before['last-sequence-number'] + 1;

export const currentFields = (metadata: TableMetadata | null): readonly Field[] =>
  currentSchema(metadata)?.fields ?? [];

const currentSchema = (metadata: TableMetadata | null): TableSchema | undefined =>
  metadata?.schemas.find((schema) => schema['schema-id'] === metadata['current-schema-id']);

/** The current schema, or a new one if the fields differ. */
export function schemaOf(before: TableMetadata | null, fields: readonly Field[]): TableSchema {
  const current = currentSchema(before);
  if (current !== undefined && JSON.stringify(current.fields) === JSON.stringify(fields))
    return current;
  const last = Math.max(-1, ...(before?.schemas ?? []).map((schema) => schema['schema-id']));
  return { type: 'struct', 'schema-id': last + 1, fields };
}

/**
 * The places, in the list of snapshots, of those that stay beside the next one.
 * @param held the ids of those that somebody reads
 */
export function staying(
  before: TableMetadata | null,
  held: ReadonlySet<number>,
): readonly number[] {
  const all = before?.snapshots ?? [];
  return all.flatMap((snapshot, place) =>
    place > all.length - snapshotsMax || held.has(snapshot['snapshot-id']) ? [place] : [],
  );
}

/** @param before the metadata of the snapshot before; null for a new table */
export function withSnapshot(
  before: TableMetadata | null,
  { uuid, location, columns, list, onlyAdds, kept: places, nowMs }: NextSnapshot,
): TableMetadata {
  const number = nextNumber(before, nowMs);
  const schema = schemaOf(before, columns.fields);
  const timestamp = Math.max(nowMs, (before?.['last-updated-ms'] ?? 0) + 1);
  const kept = places.map((place) => before!.snapshots[place]!);
  const parent = kept.at(-1);
  const snapshots: readonly TableSnapshot[] = [
    ...kept,
    {
      'snapshot-id': number,
      ...(parent === undefined ? {} : { 'parent-snapshot-id': parent['snapshot-id'] }),
      'sequence-number': number,
      'timestamp-ms': timestamp,
      'manifest-list': list,
      summary: { operation: onlyAdds ? 'append' : 'overwrite' },
      'schema-id': schema['schema-id'],
    },
  ];
  const used = new Set(snapshots.map((snapshot) => snapshot['schema-id']));
  const older = (before?.schemas ?? []).filter(
    (each) => used.has(each['schema-id']) && each['schema-id'] !== schema['schema-id'],
  );
  return {
    'format-version': 2,
    'table-uuid': before?.['table-uuid'] ?? uuid,
    location,
    'last-sequence-number': number,
    'last-updated-ms': timestamp,
    'last-column-id': Math.max(before?.['last-column-id'] ?? 0, lastIdOf(columns.fields)),
    'current-schema-id': schema['schema-id'],
    schemas: [...older, schema],
    'default-spec-id': 0,
    'partition-specs': [{ 'spec-id': 0, fields: [] }],
    'last-partition-id': 999,
    'default-sort-order-id': 0,
    'sort-orders': [{ 'order-id': 0, fields: [] }],
    properties: { 'schema.name-mapping.default': JSON.stringify(columns.mapping) },
    'current-snapshot-id': number,
    snapshots,
    'snapshot-log': snapshots.map((each) => ({
      'snapshot-id': each['snapshot-id'],
      'timestamp-ms': each['timestamp-ms'],
    })),
    refs: { main: { 'snapshot-id': number, type: 'branch' } },
  };
}
