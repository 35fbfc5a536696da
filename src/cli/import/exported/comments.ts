// Imports comments. Their ids follow from those of the export, so storing them again adds nothing.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { stringifyJson } from '../../../json/stringify.js';
import { commentsIn } from '../../export/feedback.js';
import type { ExportedEvents, ExportedFile } from '../../export/manifest.js';
import { textOf } from '../../export/objects.js';
import type { Static } from 'typebox';
import type { FeedbackList } from '../../../schema/feedback.js';
import type { Target } from './target.js';

const commentsPerRequest = 500;

/** The field of an SDK row that names its object. */
const objectFields = {
  project_logs: 'project_id',
  experiment: 'experiment_id',
  dataset: 'dataset_id',
} as const;

async function commentsOf(directory: string, { path: name }: ExportedFile) {
  const text = await readFile(path.join(directory, name), 'utf8');
  return commentsIn(text, name).map((comment) => ({
    id: textOf(comment, 'id'),
    eventId: textOf(comment, 'event_id'),
    text: textOf(comment, 'comment'),
    source: textOf(comment, 'source'),
  }));
}

export async function importComments(
  { client, journal, directory, ids }: Target,
  { kind, id, feedback }: ExportedEvents,
): Promise<void> {
  if (feedback === undefined) return;
  const rows = (await commentsOf(directory, feedback)).map((comment) => ({
    [objectFields[kind]]: ids.get(id)!,
    id: comment.id,
    comment: { text: comment.text },
    origin: { id: comment.eventId },
    _audit_source: comment.source,
  }));
  for (let start = 0; start < rows.length; start += commentsPerRequest)
    await journal.once(`${feedback.path} from ${start}`, async () => {
      const text = stringifyJson({ rows: rows.slice(start, start + commentsPerRequest) });
      await client.sendBytes('POST', '/logs3', text, 'application/json');
      return start;
    });
}

/** Comments on prompts are stored at once, unless an earlier run has stored them. */
export async function importPromptComments(
  { client, journal, directory, ids }: Target,
  file: ExportedFile & { readonly id: string },
): Promise<void> {
  await journal.once(file.path, async () => {
    const id = ids.get(file.id)!;
    const address = `/v1/prompt/${id}/feedback`;
    const { comments: stored } = await client.get<Static<typeof FeedbackList>>(address);
    const comments = (await commentsOf(directory, file)).slice(stored.length);
    for (let start = 0; start < comments.length; start += commentsPerRequest)
      await client.post(address, {
        feedback: comments
          .slice(start, start + commentsPerRequest)
          .map(({ text, source }) => ({ id, comment: text, source })),
      });
    return comments.length;
  });
}
