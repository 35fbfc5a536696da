// The tables of projects, for query engines: a namespace for each project of which the caller may read everything, with one table.
import type { ObjectHeader } from '../../catalog/header.js';
import { RequestError, abbreviated, forbidden } from '../../errors.js';
import { tableName } from '../../schema/iceberg.js';
import { requirePrincipal } from '../access/access.js';
import type { Caller, Services, WithCatalog } from '../context.js';
import { canReadAll } from '../monitor/project-sizes.js';
import { jsonReply, type Reply } from '../reply.js';

/** A project and the name of its namespace. Engines ignore case. */
interface ProjectNamespace {
  readonly id: string;
  readonly name: string;
}

const keyOf = ({ name }: ObjectHeader): string => name.toLowerCase();

/** Projects whose names differ only by case, in one or several organisations, are called by their ids. */
function projectNamespaces(services: Services, caller: Caller): readonly ProjectNamespace[] {
  const { catalog } = services;
  const principal = requirePrincipal(caller);
  const isShown = (header: ObjectHeader) =>
    catalog.isReachable(header) && canReadAll(services, principal, header);
  const projects = catalog.ofKind('project').filter(isShown);
  const counts = new Map<string, number>();
  for (const header of projects) counts.set(keyOf(header), (counts.get(keyOf(header)) ?? 0) + 1);
  return projects.map((header) => ({
    id: header.id,
    name: counts.get(keyOf(header)) === 1 ? header.name : header.id,
  }));
}

/**
 * @param name the name or the id, in lower case
 * @throws RequestError 404
 */
function requireNamespace(services: Services, caller: Caller, name: string): ProjectNamespace {
  const all = projectNamespaces(services, caller);
  const found =
    all.find(({ id }) => id === name) ?? all.find((each) => each.name.toLowerCase() === name);
  if (found !== undefined) return found;
  throw new RequestError(
    404,
    `no project with the id or the unique name "${abbreviated(name)}" that this key may use as a whole`,
  );
}

/** Whether a table leaves out the rows of an object. */
export function isDeleted({ catalog }: WithCatalog, objectId: string): boolean {
  const header = catalog.header(objectId);
  return header === undefined || !catalog.isReachable(header);
}

const absentText = ({ config }: Services): string =>
  config.bucket === null
    ? 'this server has no tables: it has no bucket (EVALSTORE_BUCKET)'
    : 'the project has no table yet: its first events are not in the bucket, or tables are off (EVALSTORE_TABLES)';

/** What clients use unless they know better: the service that the server itself uses. Credentials are theirs. */
export function catalogConfig({ config: { bucketEndpoint } }: Services): Reply {
  const defaults =
    bucketEndpoint === null
      ? {}
      : { 's3.endpoint': bucketEndpoint, 's3.path-style-access': 'true' };
  // Reports of metrics would lead nowhere.
  const overrides = { 'rest-metrics-reporting-enabled': 'false' };
  return jsonReply(JSON.stringify({ defaults, overrides }));
}

/** @throws RequestError 401 without a key */
export const listNamespaces = (services: Services, caller: Caller): Reply =>
  jsonReply(
    JSON.stringify({ namespaces: projectNamespaces(services, caller).map(({ name }) => [name]) }),
  );

/** @throws RequestError 404 */
export function getNamespace(services: Services, caller: Caller, name: string): Reply {
  const found = requireNamespace(services, caller, name);
  return jsonReply(
    JSON.stringify({ namespace: [found.name], properties: { project_id: found.id } }),
  );
}

/** @throws RequestError 404 for the namespace */
export async function listTables(services: Services, caller: Caller, name: string): Promise<Reply> {
  const found = requireNamespace(services, caller, name);
  const table = await services.store.table(found.id);
  const identifiers = table === null ? [] : [{ namespace: [found.name], name: tableName }];
  return jsonReply(JSON.stringify({ identifiers }));
}

/** @throws RequestError 404 */
export async function loadTable(services: Services, caller: Caller, name: string): Promise<Reply> {
  const { id } = requireNamespace(services, caller, name);
  const table = await services.store.table(id);
  if (table === null) throw new RequestError(404, absentText(services));
  const location = JSON.stringify(table.location);
  return jsonReply(`{"metadata-location":${location},"metadata":${table.metadata},"config":{}}`);
}

/** Accepts a report of metrics of an engine, and forgets it. @throws RequestError 404 */
export function takeReport(services: Services, caller: Caller, name: string): Reply {
  requireNamespace(services, caller, name);
  return jsonReply('null');
}

export const readOnly = (): RequestError =>
  forbidden(
    'this key may not change tables: they are read-only, and follow the events that Evalstore stores',
  );
