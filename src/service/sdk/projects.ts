// Finds projects for the SDKs by id or name, and creates them by name.
import type { ObjectFields, ObjectHeader } from '../../catalog/header.js';
import type { JsonObject } from '../../json/json.js';
import { headerNamedInBody, can, requireObjectInBody } from '../access/access.js';
import { organisationOf } from '../access/organisation.js';
import type { Caller, KeyCaller, Services } from '../context.js';
import { checkFirstDraft } from '../object/draft.js';
import { ensureObject } from '../object/objects.js';
import { jsonReply, type Reply } from '../reply.js';
import { readOwnRequest } from './organisation.js';

const defaultName = 'Global';

export interface NamedProject {
  readonly id: string;
  /** JSON text of the project. */
  readonly body: string;
}

const nameIn = (sent: ObjectFields): string => (sent.get('project_name') ?? defaultName) as string;

/** The live project that `sent` names by `project_id` or `project_name`; undefined if no readable project has the name. */
export function knownProject(
  services: Services,
  principal: KeyCaller,
  sent: ObjectFields,
): ObjectHeader | undefined {
  const id = sent.get('project_id');
  if (typeof id === 'string')
    return headerNamedInBody(services, principal, 'project', id, 'project_id');
  const orgId = organisationOf(services, principal);
  const key = {
    kind: 'project',
    orgId,
    projectId: null,
    name: nameIn(sent),
    slug: null,
  } as const;
  const found = services.catalog.objectWithKey(key);
  return found !== undefined && can(services, principal, 'read', found) ? found : undefined;
}

/** An object that is created in the project of the same request. */
interface ContainedObject {
  readonly kind: 'experiment' | 'dataset';
  /** Its fields without `project_id`. */
  readonly fields: ObjectFields;
}

/**
 * Like `knownProject`, and creates the project if it is missing.
 * @throws RequestError 403, 400 if `first` would be refused in a new project; none is created then
 */
export async function ensureProject(
  services: Services,
  principal: KeyCaller,
  sent: ObjectFields,
  first?: ContainedObject,
): Promise<NamedProject> {
  const known = knownProject(services, principal, sent);
  if (known !== undefined) return { id: known.id, body: await services.catalog.body(known.id) };
  if (first !== undefined) checkFirstDraft(services, principal, first.kind, first.fields);
  const fields = new Map([['name', nameIn(sent)]]);
  const { body } = await ensureObject(services, principal, 'project', fields);
  return { id: (JSON.parse(body) as { id: string }).id, body };
}

export async function registerProject(
  services: Services,
  caller: Caller,
  request: JsonObject,
): Promise<Reply> {
  const { principal, sent } = readOwnRequest(services, caller, request);
  const { body } = await ensureProject(services, principal, sent);
  return jsonReply(`{"project":${body}}`);
}

/** @throws RequestError 400 if the key may not use the project */
export async function projectById(services: Services, caller: Caller, id: string): Promise<string> {
  const header = requireObjectInBody(services, caller, 'project', id, 'id');
  return services.catalog.body(header.id);
}

export async function nameOfProject(
  services: Services,
  caller: Caller,
  id: string,
): Promise<Reply> {
  const { id: projectId, name } = requireObjectInBody(services, caller, 'project', id, 'id');
  const body = await services.catalog.body(projectId);
  return jsonReply(`{"name":${JSON.stringify(name)},"project":${body}}`);
}
