// Rows that were committed moments ago, by their places: clients merge into a row soon after they inserted it, and then
// nothing has to be read back.
import { LRUCache } from 'lru-cache';
import type { UnplacedRow } from '../../schema/event-row.js';
import type { RowPlace } from '../event-table.js';

type Place = Pick<RowPlace, 'source' | 'row'>;

export interface RecentRows {
  readonly at: (place: Place) => UnplacedRow | undefined;
  readonly remember: (place: Place, row: UnplacedRow, bytes: number) => void;
}

/** As much as several seconds of single inserts. */
const bytesMax = 32 * 2 ** 20;

/** What an entry takes up beside its row. */
const entryBytes = 500;

const keyOf = ({ source, row }: Place): string => `${source}/${row}`;

export function createRecentRows(): RecentRows {
  const rows = new LRUCache<string, UnplacedRow>({
    maxSize: bytesMax,
    maxEntrySize: bytesMax / 32,
  });
  return {
    at: (place) => rows.get(keyOf(place)),
    remember: (place, row, bytes) => rows.set(keyOf(place), row, { size: bytes + entryBytes }),
  };
}
