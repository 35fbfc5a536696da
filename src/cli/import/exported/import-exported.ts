// `evalstore import DIRECTORY`: imports what `evalstore export` wrote into a new project.
import { createHash } from 'node:crypto';
import path from 'node:path';
import { ProjectCreate } from '../../../schema/object.js';
import { connect, type Client } from '../../connection.js';
import type { Context } from '../../context.js';
import { openJournal, type Journal } from '../../export/journal.js';
import {
  faultOf,
  filesOf,
  manifestName,
  readManifest,
  type ExportedEvents,
  type ProjectManifest,
} from '../../export/manifest.js';
import { readObjects, textOf, type StoredObject } from '../../export/objects.js';
import { pinsOf } from '../../export/pins.js';
import { patient } from '../../retries.js';
import { importAttachment } from './attachments.js';
import { importComments, importPromptComments } from './comments.js';
import { importDataset, importSnapshot } from './datasets.js';
import { importEvents } from './events.js';
import { importBase, importExperiment } from './experiments.js';
import { importPrompts, isPrompt } from './prompts.js';
import { fieldsFor, sendObject, type Target } from './target.js';

export interface ExportedOptions {
  /** The name of the new project; by default that of the export. */
  readonly project?: string;
}

async function projectOf(directory: string): Promise<ProjectManifest> {
  const manifest = await readManifest(directory);
  if (manifest === null)
    throw new Error(`${directory}: this is no complete export, since it has no ${manifestName}`);
  if ('query' in manifest)
    throw new Error(`${directory}: this is an export of a query: import its files by their names`);
  for (const file of filesOf(manifest)) {
    const fault = await faultOf(directory, file);
    if (fault !== null) throw new Error(fault);
  }
  return manifest;
}

/** The file with what was imported to a project of a server. */
const journalFile = (directory: string, { url }: Client, name: string): string => {
  const hash = createHash('sha256')
    .update(JSON.stringify([url, name]))
    .digest('hex');
  return path.join(directory, `import-${hash.slice(0, 12)}.partial`);
};

interface Found {
  readonly objects: readonly { readonly id: string }[];
}

/** The new project. One that existed before the first run is refused. */
async function projectId(
  client: Client,
  journal: Journal,
  { object }: StoredObject,
  name: string,
  file: string,
): Promise<string> {
  const list = `/v1/project?project_name=${encodeURIComponent(name)}`;
  await journal.once('name', async () => {
    const { objects } = await client.get<Found>(list);
    if (objects.length === 0) return name;
    throw new Error(
      `there is a project "${name}" at ${client.url} already: name another one with --project`,
    );
  });
  const id = await journal.once('project', async () => {
    const fields = fieldsFor(object, ProjectCreate, { name });
    return textOf(await sendObject(client, 'POST', '/v1/project', fields), 'id');
  });
  const { objects } = await client.get<Found>(`/v1/project?ids=${id}`);
  if (objects.length === 0)
    throw new Error(
      `the project "${name}" was deleted since it was imported: remove ${file} to import it again`,
    );
  return id;
}

const noEvents = (
  kind: ExportedEvents['kind'],
  object: StoredObject['object'],
): ExportedEvents => ({
  kind,
  id: textOf(object, 'id'),
  name: textOf(object, 'name'),
  files: [],
});

async function importAll(
  target: Target,
  manifest: ProjectManifest,
  objects: readonly StoredObject[],
): Promise<void> {
  const { directory } = target;
  const ofKind = (kind: StoredObject['kind']) => objects.filter((object) => object.kind === kind);
  const events = new Map(manifest.events.map((exported) => [exported.id, exported]));
  const eventsOf = (kind: ExportedEvents['kind'], object: StoredObject['object']) =>
    events.get(textOf(object, 'id')) ?? noEvents(kind, object);
  const pins = await pinsOf(readObjects(directory, manifest.objects));
  for (const attachment of manifest.attachments) await importAttachment(target, attachment);
  await importPrompts(target, objects.filter(isPrompt));
  for (const dataset of ofKind('dataset')) {
    const exported = eventsOf('dataset', dataset.object);
    await importDataset(target, dataset, exported, pins.get(exported.id) ?? []);
  }
  for (const snapshot of ofKind('dataset_snapshot')) await importSnapshot(target, snapshot);
  for (const experiment of ofKind('experiment'))
    await importExperiment(target, experiment, eventsOf('experiment', experiment.object));
  for (const experiment of ofKind('experiment')) await importBase(target, experiment);
  const logs = manifest.events.find(({ kind }) => kind === 'project_logs');
  if (logs !== undefined) await importEvents(target, logs, target.projectId);
  for (const exported of manifest.events) await importComments(target, exported);
  for (const file of manifest.prompt_feedback) await importPromptComments(target, file);
}

/** Goes on after a kill; what is imported already stays as it is. @throws Error with a sentence for what is refused */
export async function importExported(
  context: Context,
  directory: string,
  { project }: ExportedOptions,
): Promise<void> {
  const client = patient(connect(context), false);
  const manifest = await projectOf(directory);
  const name = project ?? manifest.project.name;
  const objects: StoredObject[] = [];
  for await (const object of readObjects(directory, manifest.objects)) objects.push(object);
  const file = journalFile(directory, client, name);
  const journal = await openJournal(file);
  try {
    const [exported] = objects;
    const id = await projectId(client, journal, exported!, name, file);
    const ids = new Map([[manifest.project.id, id]]);
    const target = { client, journal, directory, projectId: id, ids, versions: new Map() };
    await importAll(target, manifest, objects);
  } finally {
    await journal.close();
  }
  const rows = manifest.events
    .flatMap(({ files }) => files)
    .reduce((sum, file) => sum + file.rows, 0);
  context.print(`${name}: ${objects.length} objects and versions, ${rows} rows of events`);
}
