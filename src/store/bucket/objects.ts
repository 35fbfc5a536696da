// The objects of segments: where they are in the bucket. Keys have no `=`, in which query engines would read partitions.
import path from 'node:path';
import type { BucketClient } from '../../bucket/client.js';
import type { SegmentName } from '../segment/segment-files.js';

/** What the store uses of a bucket. */
export type Bucket = Pick<
  BucketClient,
  'name' | 'put' | 'get' | 'head' | 'list' | 'delete' | 'close'
>;

export const segmentObjects = 'segments/';

const objectOfSegment = /^segments\/([^/]+)\/(\d{8,9})\.\w+$/;

/** @param file the local file, of which the name counts */
export const objectKey = ({ projectId }: SegmentName, file: string): string =>
  `${segmentObjects}${encodeURIComponent(projectId)}/${path.basename(file)}`;

/** Null for an object that belongs to no segment. */
export function segmentOfKey(key: string): SegmentName | null {
  const [, project, number] = objectOfSegment.exec(key) ?? [];
  return project === undefined
    ? null
    : { projectId: decodeURIComponent(project), source: Number(number) };
}
