// Imports experiments, with what they refer to.
import { ExperimentCreate } from '../../../schema/object.js';
import { memberOf } from '../../../json/tree.js';
import { textOf, type StoredObject } from '../../export/objects.js';
import { pinOf } from '../../export/pins.js';
import type { ExportedEvents } from '../../export/manifest.js';
import { importEvents } from './events.js';
import { fieldsFor, mappedId, sendObject, versionKey, type Target } from './target.js';

/** The references that exist on the server. A base may come later, so `importBase` sets it. */
function referencesOf(target: Target, experiment: StoredObject) {
  const { object } = experiment;
  const { versions } = target;
  const pin = pinOf(experiment);
  const parametersVersion = memberOf(object, 'parameters_version') ?? null;
  return {
    project_id: target.projectId,
    base_exp_id: null,
    dataset_id: mappedId(target, object, 'dataset_id'),
    dataset_version:
      pin === null ? null : (versions.get(versionKey(pin.datasetId, pin.version)) ?? null),
    parameters_id: mappedId(target, object, 'parameters_id'),
    parameters_version:
      parametersVersion === null
        ? null
        : (versions.get(
            versionKey(textOf(object, 'parameters_id'), textOf(object, 'parameters_version')),
          ) ?? null),
  };
}

export async function importExperiment(
  target: Target,
  experiment: StoredObject,
  events: ExportedEvents,
): Promise<void> {
  const { client, journal, ids } = target;
  const { object } = experiment;
  const id = textOf(object, 'id');
  const created = await journal.once(`experiment ${id}`, async () => {
    const fields = fieldsFor(object, ExperimentCreate, referencesOf(target, experiment));
    return textOf(await sendObject(client, 'POST', '/v1/experiment', fields), 'id');
  });
  ids.set(id, created);
  await importEvents(target, events, created);
}

export async function importBase(target: Target, { object }: StoredObject): Promise<void> {
  const base = mappedId(target, object, 'base_exp_id');
  if (base === null) return;
  const id = textOf(object, 'id');
  await target.journal.once(`base of ${id}`, async () => {
    const fields = new Map([['base_exp_id', base]]);
    await sendObject(target.client, 'PATCH', `/v1/experiment/${target.ids.get(id)!}`, fields);
    return base;
  });
}
