// Restores a dataset to an earlier version by one more transaction. The versions between stay readable.
import v8 from 'node:v8';
import { badRequest, unavailable } from '../../errors.js';
import { readEvents, readRecord } from '../../event/decode.js';
import type { IncomingEvent } from '../../event/incoming.js';
import { inSteps } from '../../in-steps.js';
import type { JsonObject } from '../../json/json.js';
import { memberOf } from '../../json/tree.js';
import { addedIds, restoreCounts, restoredEvents } from '../../query/page/restored-rows.js';
import type { EventObject } from '../../schema/event-row.js';
import { limits } from '../../schema/limits.js';
import { formatXactId } from '../../schema/xact-id.js';
import type { Snapshot } from '../../store/event-store.js';
import { recordRestoredAttachments } from '../attachment/attachment-rights.js';
import { requireEventObject } from '../access/event-objects.js';
import type { Caller, ReserveMemory, Services } from '../context.js';
import { EventsMemory, frameEventsBytesMax } from '../event/events-memory.js';
import { isLongRecord, readLongRecord } from '../event/decode-body.js';
import { onSnapshot, readRows } from '../query/read-rows.js';
import { jsonReply, type Reply } from '../reply.js';
import { storeRecorded } from '../event/store-events.js';
import { readVersion } from '../version.js';

const versionIn = (body: JsonObject): bigint =>
  readVersion(memberOf(body, 'version') as string, 'version') ?? 0n;

/** The rows of an object at the version, and at the latest version. */
const versionsOf = (snapshot: Snapshot, id: string, version: bigint) => ({
  past: snapshot.live([id], version),
  present: snapshot.live([id]),
});

/** @throws RequestError 400 for an invalid version or an exceeded budget, 429 if too many queries wait */
export function previewRestore(
  services: Services,
  caller: Caller,
  id: string,
  body: JsonObject,
  signal: AbortSignal,
): Promise<Reply> {
  const object = requireEventObject(services, caller, 'dataset', id);
  const version = versionIn(body);
  return onSnapshot(services, caller, async (snapshot) => {
    const query = restoreCounts(versionsOf(snapshot, object.id, version));
    const [[restored, deleted] = []] = await readRows(
      { snapshot, objectIds: [object.id], signal },
      query,
    );
    const counts = { rows_to_restore: Number(restored), rows_to_delete: Number(deleted) };
    return jsonReply(JSON.stringify(counts));
  });
}

type Texts = readonly (readonly [string])[];

/** Makes an event of each text, one in each step, up to one that is too long to parse here. Returns it; null at the end. */
function* readInSteps(texts: Iterator<readonly [string]>): Generator<IncomingEvent, string | null> {
  for (let next = texts.next(); next.done !== true; next = texts.next()) {
    const [text] = next.value;
    if (isLongRecord(text)) return text;
    yield readRecord(text);
  }
  return null;
}

/** Calls `add` with the event of each text, in order. */
async function readAll(
  caller: Caller,
  texts: Texts,
  signal: AbortSignal,
  add: (event: IncomingEvent) => void,
): Promise<void> {
  const rest = texts.values();
  for (;;) {
    const long = await inSteps(readInSteps(rest), add);
    if (long === null) return;
    add(await readLongRecord(caller, long, signal));
  }
}

const deletionOf = (id: string): IncomingEvent =>
  readEvents('dataset', [{ id, _object_delete: true }], { plain: true, path: 'record' })[0]!;

/** Makes a deletion of each id, one in each step. */
function* deletionsOf(ids: Texts): Generator<IncomingEvent, void> {
  for (const [id] of ids) yield deletionOf(id);
}

interface Change {
  readonly restored: readonly IncomingEvent[];
  readonly deleted: readonly IncomingEvent[];
}

async function readChange(
  caller: Caller,
  snapshot: Snapshot,
  versions: ReturnType<typeof versionsOf>,
  memory: EventsMemory,
  signal: AbortSignal,
): Promise<Change> {
  const restored: IncomingEvent[] = [];
  const deleted: IncomingEvent[] = [];
  const reading = { queue: 'heavy', signal } as const;
  const addTo = (list: IncomingEvent[]) => (event: IncomingEvent) => {
    memory.add([event]);
    list.push(event);
  };
  for await (const chunk of snapshot.stream(restoredEvents('dataset', versions), reading))
    await readAll(caller, chunk as Texts, signal, addTo(restored));
  for await (const chunk of snapshot.stream(addedIds(versions), reading))
    await inSteps(deletionsOf(chunk as Texts), addTo(deleted));
  return { restored, deleted };
}

/**
 * The largest size of the records of a restore. They are strings of V8 until the commit, which take up to two bytes for one of UTF-8,
 * so they fill half of its heap at most.
 */
const restoredBytesMax = (): number =>
  Math.min(v8.getHeapStatistics().heap_size_limit / 4, frameEventsBytesMax);

/** The number of times that a restore is begun. */
const attemptsMax = 5;

/** Thrown if another request wrote to the dataset after the differences from the version were read. */
class DatasetChanged extends Error {}

interface Restore {
  readonly object: EventObject;
  readonly version: bigint;
  readonly memory: EventsMemory;
  readonly signal: AbortSignal;
}

/** @throws DatasetChanged, and as `restoreDataset` */
async function restoreOnce(
  services: Services,
  caller: Caller,
  snapshot: Snapshot,
  { object, version, memory, signal }: Restore,
): Promise<Reply> {
  const versions = versionsOf(snapshot, object.id, version);
  const reading = { snapshot, objectIds: [object.id], signal };
  const [counts = []] = await readRows(reading, restoreCounts(versions));
  const count = Number(counts[0]) + Number(counts[1]);
  if (count > limits.events.max)
    throw badRequest(
      `version: ${count} records differ from it, the limit of a restore is ${limits.events.max}`,
    );
  const { restored, deleted } = await readChange(caller, snapshot, versions, memory, signal);
  const batch = { object, events: [...deleted, ...restored] };
  await recordRestoredAttachments(services, batch);
  const { xactId } = await storeRecorded(services, caller, [batch], {
    checkBeforeCommit: (lastWriteOf) => {
      if (lastWriteOf(object.id) > snapshot.version) throw new DatasetChanged();
    },
  });
  const answer = {
    xact_id: count === 0 ? null : formatXactId(xactId),
    rows_restored: restored.length,
    rows_deleted: deleted.length,
  };
  return jsonReply(JSON.stringify(answer));
}

/**
 * @throws RequestError as `previewRestore`, 400 if more records would change than one insert may have, 413 if these are too large,
 * and 503 if other requests write to the dataset all the time
 */
export async function restoreDataset(
  services: Services,
  caller: Caller,
  id: string,
  body: JsonObject,
  reserve: ReserveMemory,
  signal: AbortSignal,
): Promise<Reply> {
  const object = requireEventObject(services, caller, 'dataset', id);
  const version = versionIn(body);
  const memory = new EventsMemory({
    bodyBytes: 0,
    bytesMax: restoredBytesMax(),
    reserve,
    what: 'version: the records that differ from it',
  });
  for (let attempt = 1; attempt <= attemptsMax; attempt++)
    try {
      return await onSnapshot(services, caller, (snapshot) =>
        restoreOnce(services, caller, snapshot, { object, version, memory, signal }),
      );
    } catch (error) {
      if (!(error instanceof DatasetChanged)) throw error;
      memory.restart();
    }
  throw unavailable(
    `dataset ${object.id}: other requests wrote to it during ${attemptsMax} attempts to restore it, nothing was restored`,
  );
}
