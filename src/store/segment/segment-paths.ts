// The path map of a segment <-> the JSON text that the manifest and the segment's own footer keep.
import type { JsonColumn } from '../../schema/event-columns.js';
import type { ColumnPaths, LeafColumns, SegmentPaths } from '../../schema/event-relation.js';

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

/** The inverse of `segmentPathsToJson`. */
export function segmentPathsFromJson(text: string): SegmentPaths {
  const stored = JSON.parse(text) as StoredPaths;
  const paths = Object.entries(stored).map(([column, { leaves, textPaths, complete }]) => [
    column,
    {
      leaves: new Map(leaves.map(fromEntry)),
      textPaths: new Set(textPaths),
      complete,
    } satisfies ColumnPaths,
  ]);
  return Object.fromEntries(paths) as SegmentPaths;
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
