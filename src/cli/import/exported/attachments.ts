// Imports attachments under their keys, before the events that name them.
import { createHash } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import path from 'node:path';
import { contentOf } from '../../export/attachments.js';
import { bodyOf } from '../../export/files.js';
import type { ExportedAttachment } from '../../export/manifest.js';
import type { Target } from './target.js';

/** Whether the server has this content under the key already, and this key may read it. */
async function isStored({ client }: Target, { key, sha256 }: ExportedAttachment): Promise<boolean> {
  const content = await contentOf(client, key);
  if (content === null) return false;
  const hash = createHash('sha256');
  for await (const part of bodyOf(content)) hash.update(part);
  if (hash.digest('hex') === sha256) return true;
  throw new Error(`the server has another attachment with the key "${key}"`);
}

export async function importAttachment(
  target: Target,
  attachment: ExportedAttachment,
): Promise<void> {
  const { client, journal, directory } = target;
  const { key, filename, content_type, path: name } = attachment;
  await journal.once(name, async () => {
    if (await isStored(target, attachment)) return key;
    const said = { key, filename, content_type };
    const { signedUrl } = await client.post<{ signedUrl: string }>('/attachment', said);
    const body = await openAsBlob(path.join(directory, name));
    const answer = await fetch(signedUrl, { method: 'PUT', body });
    if (!answer.ok) throw new Error(`PUT ${name}: ${answer.status} ${await answer.text()}`);
    await client.post('/attachment/status', { key, status: { upload_status: 'done' } });
    return key;
  });
}
