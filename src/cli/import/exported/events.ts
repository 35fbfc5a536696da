// Imports the files of events of an object. A file is one insert, so it is stored as a whole; storing it again changes no value.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Client } from '../../connection.js';
import type { ExportedEvents } from '../../export/manifest.js';
import type { Target } from './target.js';

const contentTypes: Readonly<Record<string, string>> = {
  '.jsonl': 'application/jsonl',
  '.parquet': 'application/vnd.apache.parquet',
};

/** Returns the versions of the object after each file. */
export async function importEvents(
  { client, journal, directory }: Target,
  { kind, files }: ExportedEvents,
  id: string,
): Promise<readonly string[]> {
  const versions: string[] = [];
  for (const { path: name } of files)
    versions.push(
      await journal.once(name, async () => {
        const bytes = await readFile(path.join(directory, name));
        const type = contentTypes[path.extname(name)]!;
        const answer = await client.sendBytes('POST', `/v1/${kind}/${id}/insert`, bytes, type);
        await answer.text();
        return answer.headers.get('x-evalstore-version')!;
      }),
    );
  return versions;
}

/** The version of a dataset now. */
export async function versionOf(client: Client, datasetId: string): Promise<string> {
  const query = `select: id | from: dataset('${datasetId}') | limit: 1`;
  const answer = await client.send('POST', '/query', { query, fmt: 'jsonl' });
  await answer.text();
  return answer.headers.get('x-evalstore-version')!;
}
