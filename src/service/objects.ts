// Create, read, list, change and delete objects of any kind; the answers are their stored JSON texts.
import type { ObjectChanges } from '../catalog/catalog.js';
import type { ObjectFields, ObjectHeader } from '../catalog/header.js';
import type { ListSelection } from '../catalog/list-page.js';
import { inAnswerOrder } from '../catalog/object-fields.js';
import { RequestError, badRequest } from '../errors.js';
import { deepMerge } from '../json/deep-merge.js';
import type { JsonObject, JsonValue } from '../json/json.js';
import { membersOf } from '../json/tree.js';
import type { ObjectKind } from '../resource/definition.js';
import { headerForRead, headerForWrite, requirePrincipal, unusable } from './access.js';
import type { Caller, Services } from './context.js';
import { draftObject } from './draft.js';
import { copyCommit, uniqueName } from './experiment-rules.js';
import { checkReferences } from './references.js';
import { checkInheritance } from './role-rules.js';
import { jsonReply, jsonType, type Reply } from './reply.js';

const bodiesPerRead = 200;

/** Parameters of a list as the request gave them. */
export interface ListRequest extends Omit<ListSelection, 'orgId'> {
  readonly orgName: string | null;
}

export async function getObject(
  services: Services,
  caller: Caller,
  kind: ObjectKind,
  id: string,
): Promise<Reply> {
  const header = headerForRead(services, caller, kind, id);
  return jsonReply(await services.catalog.body(header.id));
}

/** Objects of the key's organisation, newest first, without gaps or repeats between pages. */
export function listObjects(
  services: Services,
  caller: Caller,
  kind: ObjectKind,
  request: ListRequest,
): Reply {
  const { orgId } = requirePrincipal(caller);
  const { orgName } = request;
  const isOwn = orgName === null || orgName === services.accounts.organisationName(orgId);
  const headers = services.catalog.list(kind, { ...request, orgId });
  return {
    contentType: jsonType,
    headers: {},
    body: listBody(services, isOwn ? headers.map(({ id }) => id) : []),
  };
}

/** Bodies can be large and many, so they are read while they are sent. */
async function* listBody(services: Services, ids: readonly string[]): AsyncGenerator<string> {
  yield '{"objects":[';
  for (let start = 0; start < ids.length; start += bodiesPerRead) {
    const bodies = await services.catalog.bodies(ids.slice(start, start + bodiesPerRead));
    yield (start === 0 ? '' : ',') + bodies.join(',');
  }
  yield ']}';
}

/** The object with the body's name: the existing one unmodified, or a new one. */
export async function createObject(
  services: Services,
  caller: Caller,
  kind: ObjectKind,
  body: JsonObject,
): Promise<Reply> {
  const principal = requirePrincipal(caller);
  const sent = withoutNulls(body);
  return services.catalog.change(async (changes) => {
    const draft = draftObject(services, principal, kind, sent);
    checkReferences(services, principal, kind, draft.fields);
    const existing = services.catalog.holder(draft);
    if (existing === undefined) return jsonReply(await changes.insert(draft));
    if (kind === 'role') await checkInheritance(services, existing, sent);
    if (!draft.isNew) return foundExisting(services, existing);
    const name = uniqueName(services.catalog, draft);
    return jsonReply(await changes.insert({ ...draft, name }));
  });
}

const foundExisting = async (services: Services, header: ObjectHeader): Promise<Reply> =>
  jsonReply(await services.catalog.body(header.id), { 'x-bt-found-existing': 'true' });

/** Fields that are null are not changed: they count as not sent. */
const withoutNulls = (body: JsonObject): ObjectFields =>
  new Map([...membersOf(body)].filter(([, value]) => value !== null));

/** Changes the fields of `patch`: objects merge, all else is replaced. */
export async function patchObject(
  services: Services,
  caller: Caller,
  kind: ObjectKind,
  id: string,
  patch: JsonObject,
): Promise<Reply> {
  const principal = requirePrincipal(caller);
  const sent = withoutNulls(patch);
  return services.catalog.change(async (changes) => {
    const header = headerForWrite(services, caller, kind, id);
    checkReferences(services, principal, kind, sent);
    checkNewName(services, header, sent.get('name'));
    return sent.size === 0
      ? jsonReply(await services.catalog.body(header.id))
      : jsonReply(await merge(services, changes, header, sent));
  });
}

async function merge(
  services: Services,
  changes: ObjectChanges,
  header: ObjectHeader,
  sent: ObjectFields,
): Promise<string> {
  const current = await services.catalog.fields(header.id);
  const merged = new Map(membersOf(deepMerge(current, sent) as JsonObject));
  return changes.replace(header, inAnswerOrder(header, copyCommit(merged)));
}

function checkNewName(services: Services, header: ObjectHeader, name: JsonValue | undefined): void {
  if (typeof name !== 'string') return;
  const taken = services.catalog.holder({ ...header, name });
  if (taken !== undefined && taken.id !== header.id) {
    throw badRequest(`name: another ${header.kind} is already named ${JSON.stringify(name)}`);
  }
}

export async function deleteObject(
  services: Services,
  caller: Caller,
  kind: ObjectKind,
  id: string,
): Promise<Reply> {
  requirePrincipal(caller);
  return services.catalog.change(async (changes) =>
    jsonReply(await changes.remove(headerForDelete(services, caller, kind, id))),
  );
}

/** Deleting what cannot be used is a bad request, not a forbidden one. */
function headerForDelete(
  services: Services,
  caller: Caller,
  kind: ObjectKind,
  id: string,
): ObjectHeader {
  try {
    return headerForWrite(services, caller, kind, id);
  } catch (error) {
    if (error instanceof RequestError && error.status === 403) throw badRequest(unusable(kind, id));
    throw error;
  }
}
