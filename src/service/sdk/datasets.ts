// Registers datasets for the SDKs, and finds them by id.
import type { JsonObject, JsonValue } from '../../json/json.js';
import { findObject } from '../access/access.js';
import type { Caller, Services } from '../context.js';
import { ensureObject, withoutNulls } from '../object/objects.js';
import { jsonReply, type Reply } from '../reply.js';
import { readOwnRequest } from './organisation.js';
import { ensureProject } from './projects.js';

/** Returns the dataset with the name, and creates it and its project if they are missing. */
export async function registerDataset(
  services: Services,
  caller: Caller,
  request: JsonObject,
): Promise<Reply> {
  const { principal, sent } = readOwnRequest(services, caller, request);
  const fields = withoutNulls(
    new Map<string, JsonValue>([
      ['name', sent.get('dataset_name') as string],
      ...['description', 'metadata'].map((name) => [name, sent.get(name) ?? null] as const),
    ]),
  );
  const project = await ensureProject(services, principal, sent, { kind: 'dataset', fields });
  const inProject = new Map([...fields, ['project_id', project.id] as const]);
  const dataset = await ensureObject(services, principal, 'dataset', inProject);
  return jsonReply(
    `{"project":${project.body},"dataset":${dataset.body},"found_existing":${dataset.isFound}}`,
  );
}

/** An array with the dataset; empty if the key may not use it. */
export async function datasetById(services: Services, caller: Caller, id: string): Promise<Reply> {
  const found = findObject(services, caller, 'dataset', id);
  const body = found === undefined ? '' : await services.catalog.body(found.id);
  return jsonReply(`[${body}]`);
}
