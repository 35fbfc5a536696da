// The position that a cursor names. A long `root_span_id` is not in the cursor: it is read from the row at the position.
import type { CursorPosition, PagePosition } from '../../query/cursor/page-cursor.js';
import { traceAt } from '../../query/page/fetch-rows.js';
import type { Reading } from './read-rows.js';

/** @returns null if there is no such row */
export async function positionOf(
  { snapshot, objectIds, signal }: Reading,
  { rootSpanId: known, ...place }: CursorPosition,
): Promise<PagePosition | null> {
  if (known !== null) return { ...place, rootSpanId: known };
  const versions = snapshot.versions(objectIds, { from: place.xactId, to: place.xactId });
  for await (const [row] of snapshot.stream(traceAt(versions, place), { queue: 'small', signal }))
    if (row !== undefined) return { ...place, rootSpanId: row[0] as string };
  return null;
}
