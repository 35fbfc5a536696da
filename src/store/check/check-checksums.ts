// Compares each file of a segment with its size and checksum in the manifest.
import path from 'node:path';
import { expectedOf, problemOf } from '../segment/checked-files.js';
import { checksumOf } from '../segment/file-checksum.js';
import type { Segment } from '../segment/segment.js';
import type { SegmentFiles } from '../segment/segment-files.js';

/**
 * What is wrong with the files of the segment, a clause each.
 * @throws the file system's error for a file that cannot be read
 */
export async function checkChecksums(
  segment: Segment,
  files: SegmentFiles,
): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const { kind, file } of files.of(segment)) {
    const problem = problemOf(await checksumOf(file), expectedOf(segment, kind));
    if (problem !== null) problems.push(`its file ${path.basename(file)} is damaged: ${problem}`);
  }
  return problems;
}
