// Loads the state of the store: reads the manifest and replays the logs of the generations that it lists.
import type { Writer } from '../../duckdb/writer.js';
import type { EventLog } from '../log/event-log.js';
import { readGenerations, readHistoryFrom, readSupersessions } from '../manifest/generations.js';
import { readSegments } from '../manifest/segments.js';
import type { Generation, StoredState } from '../manifest/store-state.js';
import { GenerationIndexes } from '../row/row-index.js';
import type { Supersession } from '../row/event-table.js';
import type { Supersessions } from '../row/supersessions.js';

// Older than every write: the epoch as a transaction id, so that every version has 19 digits.
export const beforeAllXactIds = 0x0de1n << 48n;

/**
 * Reads the state from disk, and fills `supersessions`.
 * @throws DamagedLog, or an error of the file system
 */
export async function loadState(
  writer: Pick<Writer, 'read'>,
  log: EventLog,
  supersessions: Supersessions,
): Promise<StoredState> {
  const segments = await readSegments(writer);
  const listed = await readGenerations(writer);
  const historyFrom = await readHistoryFrom(writer);
  const sources = new Set([...listed, ...segments].map(({ source }) => source));
  const ofListed = (list: readonly Supersession[]) =>
    list.filter(({ source }) => sources.has(source));
  const inManifest = ofListed(await readSupersessions(writer));
  const inLogs: (readonly Supersession[])[] = [];
  const index = new GenerationIndexes();
  const generations: Generation[] = [];
  let lastXactId = beforeAllXactIds;
  for (const empty of listed) {
    const { generation, last, superseded } = await replay(log, index, empty);
    inLogs.push(ofListed(superseded));
    generations.push(generation);
    lastXactId = last ?? empty.afterXactId;
  }
  // In one turn of the event loop, since flushes, merges and readers use them.
  supersessions.clear();
  supersessions.add(inManifest, true);
  for (const list of inLogs) supersessions.add(list, false);
  const state = {
    change: 0,
    publication: 0,
    lastXactId,
    sealed: generations.slice(0, -1),
    active: generations.at(-1)!,
    segments,
    superseded: supersessions.counts(),
    removals: new Map(),
    historyFrom,
  };
  return { state, index };
}

async function replay(log: EventLog, index: GenerationIndexes, empty: Generation) {
  const { source } = empty;
  const own = index.of(source);
  const counted: { -readonly [K in keyof Generation]: Generation[K] } = { ...empty };
  const { lastXactId: last, supersessions: superseded } = await log.replay(
    source,
    ({ objectId, id, rootSpanId, row, deleted, lossless, bytes }) => {
      own.set(objectId, id, { source, row, deleted });
      if (!deleted) own.addToTrace(objectId, rootSpanId, id);
      counted.rowCount += 1;
      counted.tombstones += Number(deleted);
      counted.lossless += Number(lossless);
      counted.bytes += bytes;
    },
  );
  return { generation: counted, last, superseded };
}
