import type { CompactionSettings } from '../../src/store/maintenance/compaction-policy.js';
import type { Segment } from '../../src/store/segment/segment.js';

/**
 * The largest number of segments that a project of this size has when nothing is left to merge and no merge was limited. Proof:
 * cut its segments, in order, greedily into stretches that fit the caps. A stretch has fewer than `fanOut` segments, since they
 * would be merged otherwise, and two neighbouring stretches together exceed one of the caps.
 */
export function segmentsMax(
  project: Pick<Segment, 'rows' | 'bytes'>,
  { fanOut, rowsMax, bytesMax }: CompactionSettings,
): number {
  const pairs = Math.floor(project.rows / rowsMax) + Math.floor(project.bytes / bytesMax);
  return (Math.max(2, fanOut) - 1) * (2 * pairs + 1);
}
