// The paths of a segment with the names that a table has for its columns, which can be others than those in the file.
import type { JsonColumn } from '../../schema/event-columns.js';
import type { ColumnPaths, LeafColumns, SegmentPaths } from '../../schema/event-relation.js';
import { leafId, type LeafType } from '../segment/field-ids.js';
import type { TableMetadata } from './metadata.js';
import type { PublishedTable } from './tables.js';

/**
 * A function that gives the paths of a segment with the names of a snapshot of the table, or null if that lacks a column of the
 * segment; null if the table lacks the snapshot.
 */
export function pathsIn(
  { metadata: text }: PublishedTable,
  number: number,
): ((segment: { readonly paths: SegmentPaths }) => SegmentPaths | null) | null {
  const metadata = JSON.parse(text) as TableMetadata;
  const snapshot = metadata.snapshots.find((each) => each['snapshot-id'] === number);
  const schema = metadata.schemas.find((each) => each['schema-id'] === snapshot?.['schema-id']);
  if (schema === undefined) return null;
  const names = new Map(schema.fields.map(({ id, name }) => [id, name]));
  return ({ paths }) => renamedPaths(paths, names);
}

function renamedPaths(
  paths: SegmentPaths,
  names: ReadonlyMap<number, string>,
): SegmentPaths | null {
  let isComplete = true;
  const renamed = (column: JsonColumn, key: string, leaf: LeafColumns): LeafColumns => {
    const entries = Object.entries(leaf).map(([type, name]: [string, string | null]) => {
      const known =
        name === null ? null : (names.get(leafId(column, key, type as LeafType)) ?? null);
      if (name !== null && known === null) isComplete = false;
      return [type, known];
    });
    return Object.fromEntries(entries) as LeafColumns;
  };
  const columns = Object.entries(paths).map(([column, of]: [string, ColumnPaths]) => {
    const leaves = Array.from(
      of.leaves,
      ([key, leaf]) => [key, renamed(column as JsonColumn, key, leaf)] as const,
    );
    return [column, { ...of, leaves: new Map(leaves) }];
  });
  return isComplete ? (Object.fromEntries(columns) as SegmentPaths) : null;
}
