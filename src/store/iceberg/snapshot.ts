// From the segments of a project to the next snapshot of its table: what to put into the bucket, and what to record. Pure.
import { eventColumnId } from '../segment/field-ids.js';
import type { Segment } from '../segment/segment.js';
import { tableColumns } from './columns.js';
import {
  manifest,
  manifestList,
  type Bound,
  type ListedManifest,
  type TableFile,
} from './manifests.js';
import {
  currentFields,
  nextNumber,
  schemaOf,
  staying,
  withSnapshot,
  type TableMetadata,
} from './metadata.js';

/** The file with the positions of a segment's dead rows. */
export interface DeadRowsFile {
  readonly key: string;
  readonly rows: number;
  readonly bytes: number;
  /** The number of the snapshot that added it. */
  readonly addedBy: number;
}

/** A segment in a table. */
export interface TableSegment {
  readonly source: number;
  /** The number of the snapshot that added it. */
  readonly addedBy: number;
  /** Equal if the dead rows are. */
  readonly mark: string;
  /** Null if it has none. */
  readonly dead: DeadRowsFile | null;
}

/** A kept snapshot: what has to stay in the bucket for it. */
export interface KeptSnapshot {
  /** The keys of the objects that only tables have. */
  readonly keys: readonly string[];
  /** The numbers of its segments. */
  readonly sources: readonly number[];
}

export interface TableState {
  readonly metadata: TableMetadata;
  /** The key of the object that has the metadata. */
  readonly key: string;
  /** Of the current snapshot. */
  readonly segments: readonly TableSegment[];
  /** The current one is last. */
  readonly kept: readonly KeptSnapshot[];
}

/** A segment in the bucket. */
export interface SegmentObject {
  readonly segment: Segment;
  /** Of its row file. */
  readonly key: string;
}

export interface SnapshotRequest {
  readonly projectId: string;
  /** The address of the bucket, which the keys of objects follow after a slash. */
  readonly bucket: string;
  /** Of a new table. */
  readonly uuid: string;
  readonly objects: readonly SegmentObject[];
  /** The dead rows by the number of their segment. */
  readonly dead: ReadonlyMap<number, Pick<TableSegment, 'mark' | 'dead'>>;
  /** Whether no other snapshot stays. */
  readonly forgets: boolean;
  /** The ids of the snapshots that somebody reads. */
  readonly held: ReadonlySet<number>;
  readonly nowMs: number;
}

export interface SnapshotObject {
  readonly key: string;
  readonly content: Buffer;
}

export const tablePrefix = (projectId: string): string =>
  `iceberg/${encodeURIComponent(projectId)}/`;

export const tableLocation = (bucket: string, projectId: string): string =>
  `${bucket}/iceberg/${encodeURIComponent(projectId)}`;

/** A little-endian integer of 64 bits. */
function longBytes(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64LE(value);
  return bytes;
}

/** Of rows whose values are between those of `values`. */
const bound = (
  column: '_xact_id' | 'created',
  values: readonly bigint[],
  isUpper: boolean,
): Bound => ({
  key: eventColumnId(column),
  value: longBytes(values.reduce((a, b) => (a < b === isUpper ? b : a))),
});

/** Engines skip files by these columns. */
function boundsOf({ objects }: Segment): Pick<TableFile, 'lower' | 'upper'> {
  const of = [...objects.values()];
  return {
    lower: [
      bound(
        '_xact_id',
        of.map((each) => each.minXactId),
        false,
      ),
      bound(
        'created',
        of.map((each) => each.minCreated),
        false,
      ),
    ],
    upper: [
      bound(
        '_xact_id',
        of.map((each) => each.maxXactId),
        true,
      ),
      bound(
        'created',
        of.map((each) => each.maxCreated),
        true,
      ),
    ],
  };
}

/** Whether nothing but segments is new. */
function onlyAdds(before: readonly TableSegment[], after: readonly TableSegment[]): boolean {
  const marks = new Map(after.map(({ source, mark }) => [source, mark]));
  const isSame = before.every(({ source, mark }) => marks.get(source) === mark);
  const known = new Set(before.map(({ source }) => source));
  return isSame && after.every(({ source, dead }) => known.has(source) || dead === null);
}

/** The names of what a snapshot adds. */
interface Names {
  readonly number: number;
  readonly key: (name: string) => string;
  readonly address: (key: string) => string;
}

function segmentsAfter(
  before: TableState | null,
  { objects, dead }: SnapshotRequest,
  number: number,
): readonly TableSegment[] {
  const addedBy = new Map(before?.segments.map((each) => [each.source, each.addedBy]));
  return objects.map(({ segment: { source } }) => {
    const { mark, dead: file } = dead.get(source)!;
    return { source, addedBy: addedBy.get(source) ?? number, mark, dead: file };
  });
}

/** The manifests, the last one being their list, and its key. */
async function manifestsOf(
  { objects }: SnapshotRequest,
  segments: readonly TableSegment[],
  schema: ReturnType<typeof schemaOf>,
  { number, key, address }: Names,
): Promise<{ readonly list: string; readonly written: readonly SnapshotObject[] }> {
  const data = objects.map(({ segment, key: file }, index): TableFile => {
    const { addedBy } = segments[index]!;
    const { rows, bytes } = segment;
    return { addedBy, path: address(file), rows, bytes, ...boundsOf(segment) };
  });
  const deletes = segments.flatMap(({ dead }, index): readonly TableFile[] =>
    dead === null ? [] : [{ ...dead, path: address(dead.key), of: data[index]!.path }],
  );
  const listed: ListedManifest[] = [];
  const written: SnapshotObject[] = [];
  for (const [content, files] of [
    ['data', data],
    ['deletes', deletes],
  ] as const) {
    if (files.length === 0) continue;
    const { fields, 'schema-id': id } = schema;
    const object = {
      key: key(`-${content}.avro`),
      content: await manifest(content, files, fields, id, number),
    };
    written.push(object);
    listed.push({ path: address(object.key), bytes: object.content.length, content, files });
  }
  const list = key('-snapshot.avro');
  return {
    list,
    written: [...written, { key: list, content: await manifestList(listed, number) }],
  };
}

/** Builds the next snapshot after `before`; null for a table that is new or has moved to another bucket. */
export async function nextSnapshot(
  before: TableState | null,
  request: SnapshotRequest,
): Promise<{ readonly state: TableState; readonly objects: readonly SnapshotObject[] }> {
  const { projectId, bucket, uuid, objects, forgets, held, nowMs } = request;
  const metadata = before?.metadata ?? null;
  const number = nextNumber(metadata, nowMs);
  const names: Names = {
    number,
    key: (name) => `${tablePrefix(projectId)}${number}${name}`,
    address: (key) => `${bucket}/${key}`,
  };
  const segments = segmentsAfter(before, request, number);
  const columns = tableColumns(
    objects.map(({ segment }) => segment),
    currentFields(metadata),
  );
  const schema = schemaOf(metadata, columns.fields);
  const { list, written } = await manifestsOf(request, segments, schema, names);
  const places = forgets ? [] : staying(metadata, held);
  const next = withSnapshot(metadata, {
    uuid,
    location: tableLocation(bucket, projectId),
    columns,
    list: names.address(list),
    onlyAdds: before === null || onlyAdds(before.segments, segments),
    kept: places,
    nowMs,
  });
  const key = names.key('.metadata.json');
  const all = [...written, { key, content: Buffer.from(JSON.stringify(next)) }];
  const kept: KeptSnapshot = {
    keys: [...all.map((object) => object.key), ...segments.flatMap((each) => each.dead?.key ?? [])],
    sources: segments.map(({ source }) => source),
  };
  const older = places.map((place) => before!.kept[place]!);
  return { state: { metadata: next, key, segments, kept: [...older, kept] }, objects: all };
}

/** The keys of all objects that the snapshots need, but for those of segments. */
export const keysOf = ({ kept }: TableState): ReadonlySet<string> =>
  new Set(kept.flatMap(({ keys }) => keys));
