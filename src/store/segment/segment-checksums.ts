// The checksums of the files of a new segment.
import { checksumOf, type FileChecksum } from './file-checksum.js';
import type { FileKind, Segment, SegmentChecksums } from './segment.js';
import type { SegmentFiles, SegmentName } from './segment-files.js';

/** Computes the checksums of the files of a segment, but for the `known` ones. */
export async function checksumsOf(
  files: SegmentFiles,
  segment: SegmentName & Pick<Segment, 'hasNarrow' | 'hasSuperseded'>,
  known: SegmentChecksums = {},
): Promise<SegmentChecksums> {
  const checksums: Partial<Record<FileKind, FileChecksum>> = {};
  for (const { kind, file } of files.of(segment))
    checksums[kind] = known[kind] ?? (await checksumOf(file));
  return checksums;
}
