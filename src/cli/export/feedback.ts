// Exports the comments and audit entries of an object, as the server lists them.
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { parseJson } from '../../json/parse.js';
import type { JsonObject, JsonValue } from '../../json/json.js';
import { memberOf } from '../../json/tree.js';
import type { FeedbackKind } from '../../schema/feedback.js';
import { bodyOf, fileOnce, writeFileOf, type Export } from './files.js';
import type { ExportedFile } from './manifest.js';

/** The answer without any entry. */
const emptyList = '{"comments":[],"audit":[]}';

/** Null without feedback. */
export async function exportFeedback(
  exporting: Export,
  kind: FeedbackKind,
  id: string,
): Promise<ExportedFile | null> {
  const { client, directory, version } = exporting;
  const name = `feedback/${kind}-${id}.json`;
  return fileOnce(exporting, name, async () => {
    const list = await client.send('GET', `/v1/${kind}/${id}/feedback?version=${version}`);
    const written = await writeFileOf(exporting, name, bodyOf(list), () => 1);
    if (written.bytes > emptyList.length) return written;
    await rm(path.join(directory, name));
    return null;
  });
}

export const commentsIn = (text: string, name: string): readonly JsonObject[] =>
  memberOf(parseJson(text, name) as JsonObject, 'comments') as readonly (JsonValue & JsonObject)[];
