// Create, read, change and delete objects of any kind; the answers are their stored JSON texts.
import type { ObjectChanges } from '../catalog/catalog.js';
import type { ObjectFields, ObjectHeader } from '../catalog/header.js';
import { inAnswerOrder, newObjectFields } from '../catalog/object-fields.js';
import { RequestError, badRequest } from '../errors.js';
import { deepMerge } from '../json/deep-merge.js';
import type { JsonObject, JsonValue } from '../json/json.js';
import { membersOf } from '../json/tree.js';
import type { ObjectKind } from '../resource/definition.js';
import { headerForRead, headerForWrite, requirePrincipal, unusable } from './access.js';
import type { Caller, Services } from './context.js';
import { draftObject, type Draft } from './draft.js';
import { copyCommit, uniqueName } from './experiment-rules.js';
import { nextVersion } from './next-version.js';
import { checkReferences } from './references.js';
import { checkInheritance } from './role-rules.js';
import { jsonReply, type Reply } from './reply.js';

export async function getObject(
  services: Services,
  caller: Caller,
  kind: ObjectKind,
  id: string,
): Promise<Reply> {
  const header = headerForRead(services, caller, kind, id);
  return jsonReply(await services.catalog.body(header.id));
}

async function insert(services: Services, changes: ObjectChanges, draft: Draft): Promise<Reply> {
  const xactId = await nextVersion(services, draft.kind);
  return jsonReply(await changes.insert({ ...draft, xactId }));
}

/** What a create found out when its name or slug is taken. */
interface Taken {
  readonly changes: ObjectChanges;
  readonly draft: Draft;
  readonly existing: ObjectHeader;
}

/** Inserts what the body describes, unless its name or slug is taken: then `onTaken` decides. */
async function insertUnlessTaken(
  services: Services,
  caller: Caller,
  kind: ObjectKind,
  sent: ObjectFields,
  onTaken: (taken: Taken) => Promise<Reply>,
): Promise<Reply> {
  const principal = requirePrincipal(caller);
  return services.catalog.change(async (changes) => {
    const draft = draftObject(services, principal, kind, sent);
    checkReferences(services, principal, kind, draft.fields);
    const existing = services.catalog.holder(draft);
    return existing === undefined
      ? insert(services, changes, draft)
      : onTaken({ changes, draft, existing });
  });
}

/** The object with the body's name or slug: the existing one unmodified, or a new one. */
export async function createObject(
  services: Services,
  caller: Caller,
  kind: ObjectKind,
  body: JsonObject,
): Promise<Reply> {
  const sent = withoutNulls(body);
  return insertUnlessTaken(services, caller, kind, sent, async ({ changes, draft, existing }) => {
    if (kind === 'role') await checkInheritance(services, existing, sent);
    if (!draft.isNew) return foundExisting(services, existing);
    return insert(services, changes, { ...draft, name: uniqueName(services.catalog, draft) });
  });
}

const foundExisting = async (services: Services, header: ObjectHeader): Promise<Reply> =>
  jsonReply(await services.catalog.body(header.id), { 'x-bt-found-existing': 'true' });

/** As `createObject`, but the existing object loses its fields to those of the body; what made it stays. */
export async function replaceObject(
  services: Services,
  caller: Caller,
  kind: ObjectKind,
  body: JsonObject,
): Promise<Reply> {
  const sent = withoutNulls(body);
  return insertUnlessTaken(services, caller, kind, sent, async ({ changes, draft, existing }) => {
    const xactId = await nextVersion(services, kind);
    const header = { ...existing, name: draft.name, xactId };
    const fields = newObjectFields(header, draft.userId, draft.fields);
    return jsonReply(await changes.replace(header, fields));
  });
}

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
  const xactId = await nextVersion(services, header.kind);
  return changes.replace({ ...header, xactId }, inAnswerOrder(header, copyCommit(merged)));
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
  return services.catalog.change(async (changes) => {
    const header = headerForDelete(services, caller, kind, id);
    const xactId = await nextVersion(services, kind);
    return jsonReply(await changes.remove({ ...header, xactId }));
  });
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
