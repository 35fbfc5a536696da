// The freshness fields of answers. A snapshot has all rows that were committed before it was taken, so every answer is complete.
import { formatXactId } from '../../schema/xact-id.js';
import type { Snapshot } from '../../store/event-store.js';

export const freshnessHeader = 'x-bt-freshness-state';

/** The freshness members of a JSON answer. */
export function freshness({ version }: Pick<Snapshot, 'version'>) {
  const xactId = formatXactId(version);
  return {
    freshness: 'complete',
    freshness_state: { last_processed_xact_id: xactId, last_considered_xact_id: xactId },
    realtime_state: {
      type: 'on',
      minimum_xact_id: xactId,
      actual_xact_id: xactId,
      read_bytes: 0,
    },
  };
}
