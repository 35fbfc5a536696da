// What tells the live rows of objects at one moment from those at any other, without reading them.
import { factsOf } from '../segment/segment.js';
import type { StoreState } from '../store-state.js';

/** Of the latest rows: sources grow and lose rows, and are otherwise unchanging; null for earlier ones. */
export function rowIdentity(
  { sealed, active, segments, superseded, lastXactId }: StoreState,
  objectIds: readonly string[],
  version: bigint,
): string | null {
  if (version < lastXactId) return null;
  const sources = [
    ...[...sealed, active].map(({ source, rowCount }) => ({ source, rows: rowCount })),
    ...segments.filter((segment) => factsOf(segment, objectIds).length > 0),
  ]
    .filter(({ rows }) => rows > 0)
    .map(({ source, rows }) => [source, rows, superseded.get(source) ?? 0]);
  return JSON.stringify([objectIds, sources]);
}
