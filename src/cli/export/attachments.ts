// Exports the attachments that events name: {"type": "braintrust_attachment", "key": "…"} anywhere in their fields.
import { createHash } from 'node:crypto';
import { refusalOf, type Client } from '../connection.js';
import { withRetries } from '../retries.js';
import { jsonColumnsOf, sourceOf, within, type EventSource } from './events.js';
import { bodyOf, fileOnce, linesOf, writeFileOf, type Export } from './files.js';
import type { ExportedAttachment, RowsFile } from './manifest.js';

const mark = 'braintrust_attachment';

interface Reference {
  readonly key: string;
  readonly filename: string;
  readonly content_type: string;
}

const textIn = (value: unknown, fallback: string): string =>
  typeof value === 'string' && value !== '' ? value : fallback;

/** The references in a JSON value, which nests at most as deep as the server permits. */
function* referencesIn(value: unknown): Generator<Reference> {
  if (typeof value !== 'object' || value === null) return;
  const { type, key, filename, content_type: contentType } = value as Record<string, unknown>;
  if (type === mark && typeof key === 'string')
    yield {
      key,
      filename: textIn(filename, 'attachment'),
      content_type: textIn(contentType, 'application/octet-stream'),
    };
  for (const part of Object.values(value)) yield* referencesIn(part);
}

/** Adds the references of the events in the files of an object, the first of each key. A query reads the rows of one file. */
export async function findReferences(
  { client, journal, version }: Export,
  source: EventSource,
  files: readonly RowsFile[],
  into: Map<string, Reference>,
): Promise<void> {
  const columns = jsonColumnsOf(source.kind);
  const conditions = columns.map((column) => `${column} like '%${mark}%'`).join(' or ');
  let after = '0';
  for (const { path, through } of files) {
    const rows = `${within([after, through])} and (${conditions})`;
    const query = `select: ${columns.join(', ')} | from: ${sourceOf(source)} | ${rows}`;
    const found = await journal.once(`attachments in ${path}`, async () => {
      const answer = await client.send('POST', '/query', { query, fmt: 'jsonl', version });
      const references: Reference[] = [];
      for await (const line of linesOf(answer)) references.push(...referencesIn(JSON.parse(line)));
      return references;
    });
    for (const reference of found) if (!into.has(reference.key)) into.set(reference.key, reference);
    after = through;
  }
}

interface State {
  readonly downloadUrl: string;
  readonly status: { readonly upload_status: string };
}

/** The content of an attachment; null if it was never uploaded. */
export async function contentOf(client: Client, key: string): Promise<Response | null> {
  const state = await client
    .get<State>(`/attachment?key=${encodeURIComponent(key)}`)
    .catch((error: unknown) => {
      if (error instanceof Error && / 400 /.test(error.message)) return null;
      throw error;
    });
  if (state === null) return null;
  return withRetries(async () => {
    const answer = await fetch(state.downloadUrl);
    if (answer.status === 400) return null;
    if (!answer.ok) throw await refusalOf(`the attachment ${key}`, answer);
    return answer;
  }, true);
}

/** Null for a reference to a content that the server does not have. */
export function exportAttachment(
  exporting: Export,
  { key, filename, content_type }: Reference,
): Promise<ExportedAttachment | null> {
  const name = `attachments/${createHash('sha256').update(key).digest('hex')}`;
  const write = async (): Promise<ExportedAttachment | null> => {
    const content = await contentOf(exporting.client, key);
    if (content === null) return null;
    const file = await writeFileOf(exporting, name, bodyOf(content), () => 1);
    return { ...file, key, filename, content_type };
  };
  return fileOnce(exporting, name, write);
}
