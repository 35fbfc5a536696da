// `evalstore export`: writes a project, or the rows of a query, to a directory of files with a manifest.
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { writeDurably } from '../../durable-file.js';
import { serverVersion } from '../../http/version.js';
import { connect, type Client } from '../connection.js';
import { UsageError, type Context } from '../context.js';
import { withProgress } from '../progress.js';
import { patient } from '../retries.js';
import { exportAttachment, findReferences } from './attachments.js';
import { exportEvents, type EventSource } from './events.js';
import { exportFeedback } from './feedback.js';
import { fileOnce, writeRows, type Export } from './files.js';
import { openJournal, type Journal } from './journal.js';
import {
  filesOf,
  manifestFormat,
  manifestName,
  notCarried,
  readManifest,
  type ExportedAttachment,
  type ExportedEvents,
  type FileFormat,
  type Manifest,
  type ProjectManifest,
} from './manifest.js';
import { exportObjects, readObjects, textOf } from './objects.js';
import { pinsOf } from './pins.js';

export interface ExportOptions {
  readonly project?: string;
  readonly query?: string;
  readonly to: string;
  readonly format: FileFormat;
}

const journalName = 'export.partial';

/** What an export of the directory has to agree in with one that is in it already. */
type Subject = Readonly<Record<'url' | 'what' | 'format', string>>;

const subjectOf = (client: Client, { project, query, format }: ExportOptions): Subject => ({
  url: client.url,
  what: project === undefined ? `the query ${query}` : `the project ${project}`,
  format,
});

const subjectIn = (manifest: Manifest): Subject => ({
  url: manifest.source.url,
  what:
    'query' in manifest ? `the query ${manifest.query}` : `the project ${manifest.project.name}`,
  format: manifest.format,
});

const isSame = (a: Subject, b: Subject): boolean =>
  a.url === b.url && a.what === b.what && a.format === b.format;

const holdsOther = (directory: string, { url, what, format }: Subject): Error =>
  new Error(
    `${directory}: this is an export of ${what} at ${url} as ${format}: name another directory`,
  );

/** The manifest of the same export, if it is complete. @throws Error for a directory with anything else in it */
async function earlierExport(directory: string, subject: Subject): Promise<Manifest | null> {
  await mkdir(directory, { recursive: true });
  const manifest = await readManifest(directory);
  if (manifest !== null) {
    if (isSame(subject, subjectIn(manifest))) return manifest;
    throw holdsOther(directory, subjectIn(manifest));
  }
  const names = await readdir(directory);
  if (names.length > 0 && !names.includes(journalName))
    throw new Error(`${directory}: this directory is not empty, and it is no export`);
  return null;
}

/** The version to read at: the latest when the export began. */
async function versionNow(client: Client, query: string): Promise<string> {
  const answer = await client.send('POST', '/query', { query, fmt: 'jsonl' });
  await answer.text();
  return answer.headers.get('x-evalstore-version')!;
}

const aboutOf = ({ client, version, format }: Export) => ({
  format_version: manifestFormat,
  source: { url: client.url, release: serverVersion.version },
  created: new Date().toISOString(),
  version,
  format,
});

async function exportQuery(exporting: Omit<Export, 'version'>, query: string): Promise<Manifest> {
  const { format } = exporting;
  const { version, ...file } = await fileOnce(exporting, 'rows', () =>
    writeRows(exporting, `rows.${format}`, { query, fmt: format }),
  );
  return { ...aboutOf({ ...exporting, version }), query, files: [file] };
}

async function projectNamed(client: Client, name: string): Promise<ProjectManifest['project']> {
  const list = `/v1/project?project_name=${encodeURIComponent(name)}`;
  const { objects } = await client.get<{ objects: readonly { id: string }[] }>(list);
  const [project] = objects;
  if (project === undefined) throw new Error(`there is no project "${name}" at ${client.url}`);
  return { id: project.id, name };
}

/** The objects with events, and the ids of the prompts and functions. */
async function sourcesOf(exporting: Export, project: ProjectManifest['project']) {
  const objects = await exportObjects(exporting, project.id);
  const sources = [{ ...project, kind: 'project_logs' as EventSource['kind'] }];
  const prompts = new Set<string>();
  for await (const { kind, object } of readObjects(exporting.directory, objects)) {
    const id = textOf(object, 'id');
    if (kind === 'prompt') prompts.add(id);
    if (kind === 'dataset' || kind === 'experiment')
      sources.push({ kind, id, name: textOf(object, 'name') });
  }
  const pins = await pinsOf(readObjects(exporting.directory, objects));
  return { objects, sources, prompts, pins };
}

async function exportProject(
  exporting: Omit<Export, 'version'>,
  { id, name }: ProjectManifest['project'],
): Promise<ProjectManifest> {
  const { client, journal } = exporting;
  const version = await journal.once('version', () =>
    versionNow(client, `select: id | from: project_logs('${id}') | limit: 1`),
  );
  const at = { ...exporting, version };
  const project = { id, name };
  const { objects, sources, prompts, pins } = await sourcesOf(at, project);
  const events: ExportedEvents[] = [];
  const references: Parameters<typeof findReferences>[3] = new Map();
  for (const { kind, id: objectId, name: objectName } of sources) {
    const source = { kind, id: objectId, pins: pins.get(objectId) ?? [] };
    const files = await exportEvents(at, source);
    const feedback = await exportFeedback(at, kind, objectId);
    await findReferences(at, source, files, references);
    const more = feedback === null ? {} : { feedback };
    events.push({ kind, id: objectId, name: objectName, files, ...more });
  }
  const ofPrompts = [];
  for (const promptId of prompts) {
    const feedback = await exportFeedback(at, 'prompt', promptId);
    if (feedback !== null) ofPrompts.push({ ...feedback, id: promptId });
  }
  const attachments: ExportedAttachment[] = [];
  for (const reference of references.values()) {
    const attachment = await exportAttachment(at, reference);
    if (attachment !== null) attachments.push(attachment);
  }
  const about = { ...aboutOf(at), project, objects, events, attachments };
  return { ...about, prompt_feedback: ofPrompts, not_carried: notCarried };
}

/** Goes on with an export that was killed. */
async function written(
  directory: string,
  journal: Journal,
  subject: Subject,
  run: () => Promise<Manifest>,
): Promise<Manifest> {
  const begun = await journal.once('subject', async () => subject);
  if (!isSame(begun, subject)) throw holdsOther(directory, begun);
  const manifest = await run();
  await writeDurably(path.join(directory, manifestName), (temporary) =>
    writeFile(temporary, `${JSON.stringify(manifest, null, 2)}\n`),
  );
  return manifest;
}

const sentenceOf = (directory: string, manifest: Manifest): string => {
  const files = filesOf(manifest);
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  return `${directory}: ${files.length} files, ${bytes} bytes, as of version ${manifest.version}`;
};

/** @throws UsageError unless the options name either a project or a query; Error with a sentence for what is refused */
export async function runExport(context: Context, options: ExportOptions): Promise<void> {
  const { project, query, to: directory, format } = options;
  if ((project === undefined) === (query === undefined))
    throw new UsageError('name what to export: either --project NAME or --query TEXT');
  const client = patient(connect(context), true);
  const subject = subjectOf(client, options);
  const earlier = await earlierExport(directory, subject);
  if (earlier !== null) {
    context.note(`${sentenceOf(directory, earlier)}: it is complete already`);
    return;
  }
  const found = project === undefined ? null : await projectNamed(client, project);
  const journal = await openJournal(path.join(directory, journalName));
  try {
    const manifest = await withProgress(context, { label: directory }, (progress) => {
      const exporting = { client, journal, directory, format, progress };
      return written(directory, journal, subject, () =>
        found === null ? exportQuery(exporting, query!) : exportProject(exporting, found),
      );
    });
    await journal.remove();
    context.print(sentenceOf(directory, manifest));
  } catch (error) {
    await journal.close();
    throw error;
  }
}
