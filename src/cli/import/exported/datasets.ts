// Imports datasets, the versions that something names, and their snapshots.
import { DatasetCreate, DatasetSnapshotCreate } from '../../../schema/object.js';
import { textOf, type StoredObject } from '../../export/objects.js';
import { pinOf } from '../../export/pins.js';
import type { ExportedEvents } from '../../export/manifest.js';
import { importEvents, versionOf } from './events.js';
import { fieldsFor, sendObject, versionKey, type Target } from './target.js';

/** A version of the imported dataset for each pinned one: that of the last file before it. */
function mapPins(
  { versions }: Target,
  { id, files }: ExportedEvents,
  pins: readonly string[],
  stored: readonly string[],
): void {
  for (const pin of pins) {
    const last = files.findLastIndex(({ through }) => through <= pin);
    versions.set(versionKey(id, pin), stored[last + 1]!);
  }
}

export async function importDataset(
  target: Target,
  { object }: StoredObject,
  events: ExportedEvents,
  pins: readonly string[],
): Promise<void> {
  const { client, journal, projectId, ids } = target;
  const id = textOf(object, 'id');
  const created = await journal.once(`dataset ${id}`, async () => {
    const fields = fieldsFor(object, DatasetCreate, { project_id: projectId });
    return textOf(await sendObject(client, 'POST', '/v1/dataset', fields), 'id');
  });
  ids.set(id, created);
  const empty = await journal.once(`empty ${id}`, () => versionOf(client, created));
  const stored = await importEvents(target, events, created);
  mapPins(target, events, pins, [empty, ...stored]);
}

export async function importSnapshot(target: Target, snapshot: StoredObject): Promise<void> {
  const { client, journal, ids, versions } = target;
  const { object } = snapshot;
  await journal.once(`snapshot ${textOf(object, 'id')}`, async () => {
    const { datasetId, version } = pinOf(snapshot)!;
    const fields = fieldsFor(object, DatasetSnapshotCreate, {
      dataset_id: ids.get(datasetId)!,
      xact_id: versions.get(versionKey(datasetId, version))!,
    });
    return textOf(await sendObject(client, 'POST', '/v1/dataset_snapshot', fields), 'id');
  });
}
