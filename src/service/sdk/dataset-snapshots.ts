// Snapshots of datasets: names for versions, as the SDKs use them.
import type { ObjectHeader } from '../../catalog/header.js';
import { everything } from '../../catalog/list-page.js';
import type { JsonObject, JsonValue } from '../../json/json.js';
import { parseXactId } from '../../schema/xact-id.js';
import { can, requirePrincipal, requireObjectInBody } from '../access/access.js';
import type { Caller, Services } from '../context.js';
import { listParts } from '../object/object-list.js';
import { ensureObject, patchObject, withoutNulls } from '../object/objects.js';
import { jsonReply, jsonType, type Reply } from '../reply.js';
import { readVersion } from '../version.js';

/** The text of a reply that is known to have one. */
const textOf = (reply: Reply): string => ('text' in reply ? reply.text : '');

/**
 * Creates a snapshot, or returns the one that has the name; with `update`, moves it to the version.
 * @throws RequestError 400 for a dataset that the key may not use or an invalid version
 */
export async function registerSnapshot(
  services: Services,
  caller: Caller,
  request: JsonObject,
): Promise<Reply> {
  const principal = requirePrincipal(caller);
  const sent = withoutNulls(request);
  const fields = withoutNulls(
    new Map<string, JsonValue>([
      ['dataset_id', sent.get('dataset_id') as string],
      ['name', sent.get('dataset_snapshot_name') as string],
      ['description', sent.get('description') ?? null],
      ['xact_id', sent.get('xact_id') as string],
    ]),
  );
  const { body, isFound } = await ensureObject(services, principal, 'dataset_snapshot', fields);
  const isMoved = isFound && sent.get('update') === true;
  const snapshot = isMoved ? await moved(services, caller, body, fields) : body;
  return jsonReply(`{"dataset_snapshot":${snapshot},"found_existing":${isFound}}`);
}

async function moved(
  services: Services,
  caller: Caller,
  body: string,
  fields: ReadonlyMap<string, JsonValue>,
): Promise<string> {
  const { id } = JSON.parse(body) as { id: string };
  const change = new Map(
    ['description', 'xact_id'].map((name) => [name, fields.get(name) ?? null]),
  );
  return textOf(await patchObject(services, caller, 'dataset_snapshot', id, change));
}

/**
 * Lists the snapshots of a dataset that have the requested name and version, newest first.
 * @throws RequestError 400 for an invalid version
 */
export async function findSnapshots(
  services: Services,
  caller: Caller,
  request: JsonObject,
): Promise<Reply> {
  const sent = withoutNulls(request);
  const { id: datasetId } = requireObjectInBody(
    services,
    caller,
    'dataset',
    sent.get('dataset_id') as string,
    'dataset_id',
  );
  const isVisible = (header: ObjectHeader) => can(services, caller, caller.permission, header);
  const version = readVersion((sent.get('xact_id') ?? null) as string | null, 'xact_id');
  const name = (sent.get('name') ?? null) as string | null;
  const headers = services.catalog.list('dataset_snapshot', {
    ...everything,
    isVisible,
    where: { datasetId, ...(name === null ? {} : { name }) },
  });
  const texts = textsAt(services, headers, version, isVisible);
  return { contentType: jsonType, headers: {}, body: listParts('[', texts, ']') };
}

/** The texts of the snapshots of a version; of all if it is null. Access can change after the answer began. */
async function* textsAt(
  { catalog }: Services,
  headers: readonly ObjectHeader[],
  version: bigint | null,
  isVisible: (header: ObjectHeader) => boolean,
): AsyncGenerator<string> {
  for await (const bodies of catalog.bodyGroups(headers))
    for (const [{ id }, body] of bodies) {
      const current = catalog.header(id)!;
      const isShown = catalog.isReachable(current) && isVisible(current);
      if (isShown && (version === null || versionOf(body) === version)) yield body;
    }
}

/** Changes `name` and `description` of a snapshot. @throws RequestError 400 if it does not exist */
export function changeSnapshot(
  services: Services,
  caller: Caller,
  request: JsonObject,
): Promise<Reply> {
  const sent = withoutNulls(request);
  const id = sent.get('id') as string;
  requireObjectInBody(services, caller, 'dataset_snapshot', id, 'id');
  const change = ['name', 'description'].map((name) => [name, sent.get(name) ?? null] as const);
  return patchObject(services, caller, 'dataset_snapshot', id, new Map(change));
}

const versionOf = (body: string): bigint | null =>
  parseXactId((JSON.parse(body) as { xact_id: string }).xact_id);
