// The path map of a segment <-> the JSON text that the manifest and the segment's own footer keep.
import type { JsonColumn } from '../../schema/event-columns.js';
import type { ColumnPaths, LeafColumns, SegmentPaths } from '../../schema/event-relation.js';
import { missingColumns } from './segment-format.js';

type LeafEntry = readonly [
  key: string,
  number: string | null,
  string: string | null,
  boolean: string | null,
  elsewhere: string | null,
];

interface StoredColumn {
  readonly leaves: readonly LeafEntry[];
  readonly textPaths: readonly string[];
  readonly complete: boolean;
}

type StoredPaths = Readonly<Partial<Record<JsonColumn, StoredColumn>>>;

export function segmentPathsToJson(paths: SegmentPaths): string {
  const stored = Object.entries(paths).map(([column, { leaves, textPaths, complete }]) => [
    column,
    { leaves: Array.from(leaves, toEntry), textPaths: [...textPaths], complete },
  ]);
  return JSON.stringify(Object.fromEntries(stored));
}

const missing: ColumnPaths = {
  leaves: new Map(),
  textPaths: new Set(),
  complete: true,
  isMissing: true,
};

/** The inverse of `segmentPathsToJson`, for a segment of this version. */
export function segmentPathsFromJson(text: string, format: number): SegmentPaths {
  const stored = JSON.parse(text) as StoredPaths;
  const paths = Object.entries(stored).map(([column, { leaves, textPaths, complete }]) => [
    column,
    {
      leaves: new Map(leaves.map(fromEntry)),
      textPaths: new Set(textPaths),
      complete,
    } satisfies ColumnPaths,
  ]);
  const lacked = missingColumns(format).map((column) => [column, missing]);
  return Object.fromEntries([...paths, ...lacked]) as SegmentPaths;
}

const toEntry = ([key, leaf]: readonly [string, LeafColumns]): LeafEntry => [
  key,
  leaf.number,
  leaf.string,
  leaf.boolean,
  leaf.elsewhere,
];

const fromEntry = ([key, number, string, boolean, elsewhere]: LeafEntry): readonly [
  string,
  LeafColumns,
] => [key, { number, string, boolean, elsewhere }];
