// Creates, reads, changes and deletes objects of any kind. Answers are the stored JSON texts, with what `representation` adds.
import { setImmediate } from 'node:timers/promises';
import type { ObjectChanges } from '../../catalog/catalog.js';
import { checkedNames, type ObjectFields, type ObjectHeader } from '../../catalog/header.js';
import { inAnswerOrder, newObjectFields } from '../../catalog/object-fields.js';
import { RequestError, badRequest, forbidden } from '../../errors.js';
import { deepMerge } from '../../json/deep-merge.js';
import type { JsonObject, JsonValue } from '../../json/json.js';
import { stringifyJson } from '../../json/stringify.js';
import { isJsonObject, memberOf, membersOf } from '../../json/tree.js';
import { retentionSettings } from '../../schema/removal.js';
import type { ObjectKind } from '../../schema/resources/definition.js';
import { resourceKinds } from '../../schema/resources/table.js';
import { can, notFoundText, requirePrincipal, requireObject } from '../access/access.js';
import type { Caller, KeyCaller, Services } from '../context.js';
import { checkDraft, draftObject, type Draft } from './draft.js';
import { withBase, withBaseId } from './experiment-base.js';
import { copyCommit, uniqueName } from './experiment-rules.js';
import { checkReferences } from '../access/references.js';
import {
  checkCircle,
  checkDescription,
  withMembers,
  withPermissionObjects,
} from '../access/member-rules.js';
import { jsonReply, type Reply } from '../reply.js';
import { withoutPrivateFields } from '../access/public-experiments.js';
import { representationOf } from './representation.js';
import { nextVersion, readVersion } from '../version.js';

/**
 * Reads an object.
 * @param version for versioned kinds: a transaction id in either form; null for the latest version
 * @throws RequestError 403 for the object (401 without a key), 400 if it did not exist at the version
 */
export async function getObject(
  services: Services,
  caller: Caller,
  kind: ObjectKind,
  id: string,
  version: string | null = null,
): Promise<Reply> {
  const header = requireObject(services, caller, kind, id);
  const body =
    version === null
      ? await services.catalog.body(header.id)
      : await bodyAsOf(services, header, version);
  const text = caller.kind === 'anonymous' ? withoutPrivateFields(body) : body;
  return jsonReply(representationOf(services, kind, header, text));
}

async function bodyAsOf(
  { catalog }: Services,
  header: ObjectHeader,
  version: string,
): Promise<string> {
  const xactId = readVersion(version, 'version') ?? 0n;
  const past = await catalog.afterChanges(() => catalog.headerAsOf(header, xactId));
  const bodies = past === undefined || past.deleted ? null : await catalog.bodies([past]);
  const body = past === undefined ? undefined : bodies?.get(past);
  if (body === undefined)
    throw badRequest(`version: the ${header.kind} "${header.id}" did not exist as of "${version}"`);
  return body;
}

/** The result of a create. */
export interface CreatedOrFound {
  /** JSON text of the object. */
  readonly body: string;
  /** Whether the object existed before. */
  readonly isFound: boolean;
}

async function insert(
  services: Services,
  changes: ObjectChanges,
  draft: Draft,
): Promise<CreatedOrFound> {
  const xactId = await nextVersion(services, draft.kind);
  return { body: await changes.insert({ ...draft, xactId }), isFound: false };
}

/** A draft whose name or slug an existing object has. */
interface NameConflict {
  readonly changes: ObjectChanges;
  readonly draft: Draft;
  readonly existing: ObjectHeader;
}

/** Inserts the object of the body. If its name or slug is taken, calls `onTaken`. */
async function insertUnlessTaken(
  services: Services,
  caller: Caller,
  kind: ObjectKind,
  sent: ObjectFields,
  use: 'read' | 'update',
  onTaken: (taken: NameConflict) => Promise<CreatedOrFound>,
): Promise<CreatedOrFound> {
  const principal = requirePrincipal(caller);
  return services.catalog.change(async (changes) => {
    const draft = draftObject(services, principal, kind, sent);
    const existing = services.catalog.objectWithKey(draft);
    checkDraft(services, principal, draft, existing, use);
    checkReferences(services, principal, kind, draft.fields, draft.orgId);
    checkDescription(kind, draft.fields);
    return existing === undefined
      ? insert(services, changes, draft)
      : onTaken({ changes, draft, existing });
  }, principal);
}

/**
 * Returns the object with the name or slug of `sent`: the existing one unmodified, or a new one.
 * @throws RequestError 400 for fields that refer to unusable objects
 */
export async function ensureObject(
  services: Services,
  caller: Caller,
  kind: ObjectKind,
  sent: ObjectFields,
): Promise<CreatedOrFound> {
  return insertUnlessTaken(services, caller, kind, sent, 'read', async (taken) => {
    const { changes, draft, existing } = taken;
    checkCircle(services, existing, sent);
    if (!draft.isNew) return { body: await services.catalog.body(existing.id), isFound: true };
    return insert(services, changes, { ...draft, name: uniqueName(services.catalog, draft) });
  });
}

export async function createObject(
  services: Services,
  caller: Caller,
  kind: ObjectKind,
  body: JsonObject,
): Promise<Reply> {
  const sent = await withBase(services, requirePrincipal(caller), kind, sentFields(body));
  const ensured = await ensureObject(services, caller, kind, sent);
  return jsonReply(ensured.body, ensured.isFound ? { 'x-bt-found-existing': 'true' } : {});
}

/** As `createObject`, but replaces the fields of an existing object by those of the body; its id and creation stay. */
export async function replaceObject(
  services: Services,
  caller: Caller,
  kind: ObjectKind,
  body: JsonObject,
): Promise<Reply> {
  const sent = sentFields(body);
  const replaced = await insertUnlessTaken(
    services,
    caller,
    kind,
    sent,
    'update',
    async (taken) => {
      const { changes, draft, existing } = taken;
      checkCircle(services, existing, sent);
      checkedNames(draft, existing);
      const xactId = await nextVersion(services, kind);
      const header = { ...existing, name: draft.name, xactId };
      const creator = (await services.catalog.fields(existing.id)).get('user_id');
      const fields = newObjectFields(header, (creator ?? draft.userId) as string, draft.fields);
      return { body: await changes.replace(header, fields), isFound: true };
    },
  );
  return jsonReply(replaced.body);
}

/** Null counts as absent, so a field that is null is not changed. */
export const withoutNulls = (body: JsonObject): ObjectFields =>
  new Map([...membersOf(body)].filter(([, value]) => value !== null));

const sentFields = (body: JsonObject): ObjectFields =>
  withBaseId(withPermissionObjects(withoutNulls(body)));

/** Changes the fields of `patch`: objects are merged, other values are replaced. */
export async function patchObject(
  services: Services,
  caller: Caller,
  kind: ObjectKind,
  id: string,
  patch: JsonObject,
): Promise<Reply> {
  const principal = requirePrincipal(caller);
  return services.catalog.change(async (changes) => {
    const header = requireObject(services, caller, kind, id);
    const current = await services.catalog.fields(header.id);
    const given = sentFields(patch);
    checkReferences(services, principal, kind, given, header.orgId, current);
    checkDescription(kind, given);
    const sent = withMembers(current, given);
    checkNewKey(services, header, sent);
    checkCircle(services, header, sent);
    checkPublication(services, principal, header, sent);
    checkRetention(services, principal, header, current, sent);
    return sent.size === 0
      ? jsonReply(await services.catalog.body(header.id))
      : jsonReply(await merge(services, changes, header, current, sent));
  }, principal);
}

async function merge(
  services: Services,
  changes: ObjectChanges,
  header: ObjectHeader,
  current: ObjectFields,
  sent: ObjectFields,
): Promise<string> {
  // At the limits, parsing, merging and printing take 30 ms each.
  await setImmediate();
  const merged = new Map(membersOf(deepMerge(current, sent) as JsonObject));
  await setImmediate();
  const isPublished = !header.public && merged.get('public') === true;
  const { lastXactId } = services.store.stats();
  const publishedAt = isPublished ? lastXactId : header.publishedAt;
  const xactId = await nextVersion(services, header.kind);
  const changed = { ...header, publishedAt, xactId };
  return changes.replace(changed, inAnswerOrder(header, copyCommit(merged)));
}

/** @throws RequestError 403 if the change makes an experiment public that the caller may not read */
function checkPublication(
  services: Services,
  caller: KeyCaller,
  header: ObjectHeader,
  sent: ObjectFields,
): void {
  const isPublished = header.kind === 'experiment' && !header.public && sent.get('public') === true;
  if (isPublished && !can(services, caller, 'read', header))
    throw forbidden('public: this key may not read the experiment, so it may not publish it');
}

const retentionOf = (settings: JsonValue): string =>
  stringifyJson(
    Object.keys(retentionSettings).map(
      (name) => (isJsonObject(settings) && memberOf(settings, name)) || null,
    ),
  );

/** @throws RequestError 403 if the change lets events expire that the caller may not delete */
function checkRetention(
  services: Services,
  caller: KeyCaller,
  header: ObjectHeader,
  current: ObjectFields,
  sent: ObjectFields,
): void {
  const [before = null, patch = null] = [current.get('settings'), sent.get('settings')];
  const isChanged = retentionOf(deepMerge(before, patch ?? before)) !== retentionOf(before);
  if (isChanged && !can(services, caller, 'delete', header))
    throw forbidden(
      `settings: this key may not delete the ${header.kind}, so it may not let its events expire`,
    );
}

/** @throws RequestError 400 if another object has the new name or slug, if that is unique */
function checkNewKey({ catalog }: Services, header: ObjectHeader, sent: ObjectFields): void {
  const { uniqueBy } = resourceKinds[header.kind];
  const key = uniqueBy === null ? undefined : sent.get(uniqueBy);
  if (uniqueBy === null || typeof key !== 'string') return;
  const taken = catalog.objectWithKey({ ...header, [uniqueBy]: key });
  if (taken === undefined || taken.id === header.id) return;
  const value = JSON.stringify(key);
  // Other organisations must not be found by their names.
  if (header.kind === 'organization') throw badRequest(`name: the name ${value} is not available`);
  const has = uniqueBy === 'name' ? 'is already named' : 'already has the slug';
  throw badRequest(`${uniqueBy}: another ${header.kind} ${has} ${value}`);
}

export async function deleteObject(
  services: Services,
  caller: Caller,
  kind: ObjectKind,
  id: string,
): Promise<Reply> {
  const principal = requirePrincipal(caller);
  return services.catalog.change(async (changes) => {
    const header = headerForDelete(services, caller, kind, id);
    const xactId = await nextVersion(services, kind);
    const [body] = await changes.all([{ removed: { ...header, xactId } }]);
    return jsonReply(representationOf(services, kind, header, body!));
  }, principal);
}

/** As `requireObject`, but with status 400 instead of 403. */
function headerForDelete(
  services: Services,
  caller: Caller,
  kind: ObjectKind,
  id: string,
): ObjectHeader {
  try {
    return requireObject(services, caller, kind, id);
  } catch (error) {
    if (error instanceof RequestError && error.status === 403)
      throw badRequest(notFoundText(kind, id));
    throw error;
  }
}
