// Access control: decides which caller may use which object, and words the refusals. The permission that an operation needs
// is a row of http/permission-table; the caller carries it.
import { someLink } from '../../catalog/grants.js';
import type { ObjectHeader } from '../../catalog/header.js';
import { abbreviated, badRequest, forbidden, invalidKey, unauthorised } from '../../errors.js';
import type { ObjectKind } from '../../schema/resources/definition.js';
import { resourceKinds } from '../../schema/resources/table.js';
import type { EventObjectKind } from '../../schema/event-row.js';
import { eventTypes, type ObjectType, type Permission } from '../../schema/permission.js';
import type { Caller, KeyCaller, Principal, Services, WithCatalog } from '../context.js';
import { containerLinks, linksOf, memberLinks } from './grant-links.js';

const missingKey = () =>
  unauthorised('this request needs an API key in the header "Authorization: Bearer <API_KEY>"');

/** @throws RequestError 401 if the request has no key, 403 if its key counts as none, as on a public object */
export function requirePrincipal(caller: Caller): KeyCaller {
  if (caller.kind === 'key') return caller;
  throw caller.hasKey
    ? forbidden('this key may read only what is public of the object')
    : missingKey();
}

/** @throws RequestError 401 if the key has become invalid since the request was authenticated */
export function currentPrincipal(
  { accounts }: Pick<Services, 'accounts'>,
  { keyId }: Principal,
): Principal {
  const principal = accounts.principalOfKeyId(keyId);
  if (principal === undefined) throw invalidKey();
  return principal;
}

// The same text for absent, deleted and unreadable objects, so that it does not reveal which ids exist.
export const notFoundText = (kind: ObjectKind, id: string) =>
  `no ${kind} with the id "${abbreviated(id)}" that this key may use`;

const allowed = (
  { catalog }: WithCatalog,
  caller: KeyCaller,
  permission: Permission,
  type: ObjectType,
  orgId: string,
  links: readonly string[],
): boolean =>
  caller.orgIds.includes(orgId) && catalog.grants.allows(caller.userId, permission, type, links);

/** The user of a key. */
export const ownerOfKey = ({ catalog }: WithCatalog, keyId: string): string => {
  const fields = catalog.accessFields(keyId);
  return String(fields?.['user_id'] ?? fields?.['service_account_id']);
};

/**
 * The organisations of an object: for users, all that they belong to; for keys that are valid for all organisations, the one that the
 * user joined first, since an owner of any other one can add the user.
 */
export function organisationsWith(
  services: WithCatalog,
  { kind, id, orgId }: ObjectHeader,
): readonly string[] {
  const { grants } = services.catalog;
  if (kind === 'user') return grants.organisationsOf(id);
  const isForAll = kind === 'api_key' && services.catalog.accessFields(id)?.['org_id'] === null;
  return isForAll ? grants.organisationsOf(ownerOfKey(services, id)).slice(0, 1) : [orgId];
}

/** Whether the caller may use a user or a key. A user may read itself and use its own keys. */
function canUseMember(
  services: WithCatalog,
  caller: KeyCaller,
  permission: Permission,
  header: ObjectHeader,
): boolean {
  const { kind, id } = header;
  const isOwn =
    kind === 'user'
      ? permission === 'read' && id === caller.userId
      : ownerOfKey(services, id) === caller.userId;
  return organisationsWith(services, header).some(
    (orgId) =>
      (isOwn && caller.orgIds.includes(orgId)) ||
      allowed(services, caller, permission, 'org_member', orgId, memberLinks(orgId)),
  );
}

/** Whether the caller may read the members of an organisation to which a user belongs or belonged. */
export const canReadMembership = (
  services: WithCatalog,
  caller: KeyCaller,
  { id }: ObjectHeader,
): boolean => {
  const isReadable = ({ name, orgId }: ObjectHeader) =>
    name === id && allowed(services, caller, 'read', 'org_member', orgId, memberLinks(orgId));
  return services.catalog.ofKind('org_member').some(isReadable);
};

/** The permission for an ACL is that for the ACLs of its object. */
function canUseAcl(
  services: WithCatalog,
  caller: KeyCaller,
  permission: Permission,
  { id }: ObjectHeader,
): boolean {
  const fields = services.catalog.accessFields(id);
  if (fields === undefined) return false;
  const type = fields['object_type'] as ObjectType;
  const target = services.catalog.header(String(fields['object_id']));
  return target !== undefined && can(services, caller, permission, target, type);
}

const isPublic = (header: ObjectHeader): boolean => header.kind === 'experiment' && header.public;

/** Whether the caller may read an object, or at least what is public of it. */
export const canSee = (services: WithCatalog, caller: Caller, header: ObjectHeader): boolean =>
  isPublic(header) || can(services, caller, 'read', header);

/**
 * Whether the caller has a permission for an object.
 * @param type the type of the object, if it differs from its kind: the logs of a project
 */
export function can(
  services: WithCatalog,
  caller: Caller,
  permission: Permission,
  header: ObjectHeader,
  type: ObjectType = resourceKinds[header.kind].type,
): boolean {
  const { kind, orgId } = header;
  if (caller.kind === 'anonymous') return permission === 'read' && isPublic(header);
  if (kind === 'acl') return canUseAcl(services, caller, permission, header);
  if (kind === 'user' || kind === 'api_key' || kind === 'service_token')
    return canUseMember(services, caller, permission, header);
  const isOwnOrganisation = kind === 'organization' && type === kind && permission === 'read';
  if (isOwnOrganisation && caller.orgIds.includes(orgId)) return true;
  return allowed(services, caller, permission, type, orgId, linksOf(services, header, type));
}

/** Whether the caller has its permission for all objects of a type in a project, or in an organisation itself. */
export const canInContainer = (
  services: Services,
  caller: KeyCaller,
  type: ObjectType,
  container: Pick<ObjectHeader, 'orgId' | 'projectId'>,
): boolean =>
  allowed(services, caller, caller.permission, type, container.orgId, containerLinks(container));

/** Whether the caller has its permission for the events of at least one object of the organisation. */
export const canInSomeEvents = (services: WithCatalog, caller: KeyCaller, orgId: string): boolean =>
  eventTypes.some((type) =>
    allowed(services, caller, caller.permission, type, orgId, [someLink(type, orgId)]),
  );

/** The live object with this id and kind; with `isShown`, also one that is presented as this kind. Does not check permissions. */
export function reachable(
  { catalog }: WithCatalog,
  kind: ObjectKind,
  id: string,
  isShown = false,
): ObjectHeader | undefined {
  const header = catalog.header(id.toLowerCase());
  if (header === undefined || !catalog.isReachable(header)) return undefined;
  const isOfKind =
    header.kind === kind || (isShown && header.kind === resourceKinds[kind].alsoShows);
  return isOfKind ? header : undefined;
}

/** The names in ACLs of the kinds that can have ACLs. */
const kindsOf: Readonly<Record<ObjectType, readonly ObjectKind[]>> = {
  organization: ['organization'],
  project: ['project'],
  experiment: ['experiment'],
  dataset: ['dataset'],
  prompt: ['prompt', 'function'],
  prompt_session: [],
  group: ['group'],
  role: ['role'],
  org_member: ['organization'],
  project_log: ['project'],
  org_project: ['organization'],
};

/**
 * The object that an ACL is on.
 * @throws RequestError 400 if it is absent or deleted, or the caller lacks the permission for its ACLs
 */
export function aclTarget(
  services: Services,
  caller: Caller,
  permission: Permission,
  { type, id }: { readonly type: ObjectType; readonly id: string },
  field: string,
): ObjectHeader {
  const header = kindsOf[type]
    .map((kind) => reachable(services, kind, id))
    .find((found) => found !== undefined);
  if (header !== undefined && can(services, caller, permission, header, type)) return header;
  throw badRequest(
    `${field}: no ${type} with the id "${abbreviated(id)}" whose ACLs this key may change`,
  );
}

const absentHeaders = new Map<string, ObjectHeader>();

/**
 * Stands for absent objects. They take the same checks, so that the time of a refusal does not reveal which ids exist. One per kind
 * and organisation: links are cached by header, so a new one would be slower to refuse.
 */
function absent(caller: Caller, kind: ObjectKind): ObjectHeader {
  const orgId = caller.kind === 'key' ? (caller.orgIds[0] ?? '') : '';
  const key = `${kind} ${orgId}`;
  const header = absentHeaders.get(key) ?? { ...absentFields, kind, orgId };
  absentHeaders.set(key, header);
  return header;
}

/** No object has this id. */
const absentId = '00000000-0000-0000-0000-000000000000';

const absentFields = {
  id: absentId,
  projectId: absentId,
  name: '',
  slug: null,
  created: 0n,
  deleted: true,
  public: false,
  publishedAt: null,
  baseExperimentId: null,
  datasetId: null,
  xactId: null,
};

/** Returns the object if the caller may read it, or at least what is public of it. */
export function readableHeader(
  services: WithCatalog,
  caller: Caller,
  kind: ObjectKind,
  id: string,
): ObjectHeader | undefined {
  const found = reachable(services, kind, id);
  return canSee(services, caller, found ?? absent(caller, kind)) ? found : undefined;
}

/** Project logs are named by the id of their project. */
const ownerKind = (kind: EventObjectKind): ObjectKind =>
  kind === 'project_logs' ? 'project' : kind;

const typeOf = (kind: ObjectKind | EventObjectKind): ObjectType =>
  kind === 'project_logs' ? 'project_log' : resourceKinds[kind as ObjectKind].type;

/** Returns the object of the operation if the caller has the permission that the operation needs. */
export function findObject(
  services: WithCatalog,
  caller: Caller,
  kind: ObjectKind | EventObjectKind,
  id: string,
): ObjectHeader | undefined {
  const { permission } = caller;
  const objectKind = ownerKind(kind as EventObjectKind);
  // Prompts can be read and deleted as functions; a change needs the fields of their kind.
  const isShown = kind === 'function' && (permission === 'read' || permission === 'delete');
  const found = reachable(services, objectKind, id, isShown);
  const header = found ?? absent(caller, objectKind);
  return can(services, caller, permission, header, typeOf(kind)) ? found : undefined;
}

/** The caller; or a caller without a key, if the object is public and the key has no permission for it. */
export function publicReader(
  services: WithCatalog,
  caller: Caller,
  kind: ObjectKind | EventObjectKind,
  id: string,
): Caller {
  if (findObject(services, caller, kind, id) !== undefined) return caller;
  const { permission, requestId } = caller;
  const reader = {
    kind: 'anonymous',
    hasKey: caller.kind === 'key',
    permission,
    requestId,
  } as const;
  return findObject(services, reader, kind, id) === undefined ? caller : reader;
}

/** To be read, they need another permission than `read`. */
const kindsWithOwnReaders: ReadonlySet<ObjectKind> = new Set(['acl', 'api_key', 'service_token']);

/**
 * The object that the request's path names.
 * @throws RequestError 401 without a key, 403 with one, if the caller lacks the permission that the operation needs
 */
export function requireObject(
  services: Services,
  caller: Caller,
  kind: ObjectKind | EventObjectKind,
  id: string,
): ObjectHeader {
  const header = findObject(services, caller, kind, id);
  if (header !== undefined) return header;
  requirePrincipal(caller);
  const objectKind = ownerKind(kind as EventObjectKind);
  // The refusal of an object that the caller may read can name it.
  const isNameless = caller.permission === 'read' || kindsWithOwnReaders.has(objectKind);
  const shown = isNameless ? undefined : readableHeader(services, caller, objectKind, id);
  if (shown === undefined) throw forbidden(notFoundText(objectKind, id));
  throw forbidden(`this key may not change the ${objectKind} ${JSON.stringify(shown.name)}`);
}

/**
 * As `requireObject`, for an object that `field` of a body names.
 * @throws RequestError 400 if it is absent or deleted, or the caller lacks the permission
 */
export function requireObjectInBody(
  services: Services,
  caller: Caller,
  kind: ObjectKind | EventObjectKind,
  id: string,
  field: string,
): ObjectHeader {
  const header = findObject(services, caller, kind, id);
  if (header === undefined)
    throw badRequest(`${field}: ${notFoundText(ownerKind(kind as EventObjectKind), id)}`);
  return header;
}

/**
 * The object that `field` of a body refers to, whatever the operation does.
 * @throws RequestError 400 if it is absent, deleted or unreadable
 */
export function headerNamedInBody(
  services: Services,
  caller: Caller,
  kind: ObjectKind,
  id: string,
  field: string,
): ObjectHeader {
  const header = readableHeader(services, caller, kind, id);
  if (header === undefined) throw badRequest(`${field}: ${notFoundText(kind, id)}`);
  return header;
}
