// Exports the objects of a project: a line of JSON for each, and one for each version of a prompt or function.
import { createReadStream } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { JsonObject } from '../../json/json.js';
import { parseJson } from '../../json/parse.js';
import { stringifyJson } from '../../json/stringify.js';
import { memberOf } from '../../json/tree.js';
import type { Client } from '../connection.js';
import { fileOnce, linesOf, writeFileOf, type Export } from './files.js';
import type { ExportedFile } from './manifest.js';

export type ExportedKind =
  'project' | 'prompt' | 'function' | 'dataset' | 'dataset_snapshot' | 'experiment';

export interface StoredObject {
  readonly kind: ExportedKind;
  /** With exact numbers and the order of keys. */
  readonly object: JsonObject;
}

export const textOf = (object: JsonObject, name: string): string =>
  memberOf(object, name) as string;

const objectsPerPage = 500;

export const readJson = async (client: Client, address: string): Promise<JsonObject> =>
  parseJson(await (await client.send('GET', address)).text(), address) as JsonObject;

/** The objects of a list, the newest first. */
async function* listed(client: Client, list: string): AsyncGenerator<JsonObject> {
  let after = '';
  for (;;) {
    const page = await readJson(client, `${list}&limit=${objectsPerPage}${after}`);
    const objects = memberOf(page, 'objects') as readonly JsonObject[];
    yield* objects;
    if (objects.length < objectsPerPage) return;
    after = `&starting_after=${textOf(objects.at(-1)!, 'id')}`;
  }
}

async function oldestFirst(client: Client, list: string): Promise<readonly JsonObject[]> {
  const objects: JsonObject[] = [];
  for await (const object of listed(client, list)) objects.push(object);
  return objects.toReversed();
}

/** Every version of the prompts and functions, in the order in which they were written. */
async function* promptVersions(
  { client, version }: Pick<Export, 'client' | 'version'>,
  projectId: string,
): AsyncGenerator<StoredObject> {
  const prompts = new Set<string>();
  for await (const prompt of listed(client, `/v1/prompt?project_id=${projectId}`))
    prompts.add(textOf(prompt, 'id'));
  const query = `select: id, _xact_id | from: project_functions('${projectId}') | sort: _xact_id`;
  const request = { query, fmt: 'jsonl', version, audit_log: true };
  for await (const line of linesOf(await client.send('POST', '/query', request))) {
    const { id, _xact_id: xactId } = JSON.parse(line) as { id: string; _xact_id: string };
    const kind = prompts.has(id) ? 'prompt' : 'function';
    yield { kind, object: await readJson(client, `/v1/${kind}/${id}?version=${xactId}`) };
  }
}

async function* objectsOf(
  exporting: Pick<Export, 'client' | 'version'>,
  projectId: string,
): AsyncGenerator<StoredObject> {
  const { client } = exporting;
  yield { kind: 'project', object: await readJson(client, `/v1/project/${projectId}`) };
  yield* promptVersions(exporting, projectId);
  const inProject = `?project_id=${projectId}`;
  for (const dataset of await oldestFirst(client, `/v1/dataset${inProject}`)) {
    yield { kind: 'dataset', object: dataset };
    const list = `/v1/dataset_snapshot?dataset_id=${textOf(dataset, 'id')}`;
    for (const object of await oldestFirst(client, list))
      yield { kind: 'dataset_snapshot', object };
  }
  for (const object of await oldestFirst(client, `/v1/experiment${inProject}`))
    yield { kind: 'experiment', object };
}

export const exportObjects = (exporting: Export, projectId: string): Promise<ExportedFile> =>
  fileOnce(exporting, 'objects', () => {
    let rows = 0;
    const lines = async function* () {
      for await (const { kind, object } of objectsOf(exporting, projectId)) {
        rows += 1;
        yield `{"kind":"${kind}","object":${stringifyJson(object)}}\n`;
      }
    };
    return writeFileOf(exporting, 'objects.jsonl', lines(), () => rows);
  });

/** The objects that an export wrote. */
export async function* readObjects(
  directory: string,
  { path: name }: ExportedFile,
): AsyncGenerator<StoredObject> {
  const input = createReadStream(path.join(directory, name));
  for await (const line of createInterface({ input, crlfDelay: Infinity })) {
    const value = parseJson(line, name) as JsonObject;
    yield {
      kind: memberOf(value, 'kind') as ExportedKind,
      object: memberOf(value, 'object') as JsonObject,
    };
  }
}
