// Appends stored rows to a log, as a rebuild of the manifest does.
import type { Row } from '../../duckdb/rows.js';
import type { NewRow } from '../../event/row.js';
import type { EventLog } from './event-log.js';
import { FrameBuilder } from './frame.js';

/** Adds rows with all columns of events, in their order, to a generation that has `firstRow` rows. */
export async function appendRows(
  log: EventLog,
  source: number,
  firstRow: number,
  rows: readonly Row[],
): Promise<void> {
  const last = rows.at(-1);
  if (last === undefined) return;
  const frame = new FrameBuilder();
  const rowBytes = rows.map((row) =>
    frame.addRow(row as unknown as NewRow, {
      xactId: row['_xact_id'] as bigint,
      position: row['_position'] as number,
    }),
  );
  await log.commit({
    source,
    rowBytes,
    frame: () => frame.finish(source, firstRow, last['_xact_id'] as bigint, []),
  });
}
