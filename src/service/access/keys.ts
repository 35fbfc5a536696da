// API keys of users and tokens of service accounts. The secret is returned once, when the key is created.
import { ownsSome } from '../../catalog/accounts.js';
import type { ObjectWrite } from '../../catalog/catalog.js';
import type { ObjectHeader } from '../../catalog/header.js';
import { keyDraft, type KeyScope } from '../../catalog/key-draft.js';
import { badRequest, forbidden } from '../../errors.js';
import type { ApiKeyCreate, ServiceTokenCreate } from '../../schema/access.js';
import {
  currentPrincipal,
  ownerOfKey,
  can,
  notFoundText,
  requirePrincipal,
  requireObjectInBody,
} from './access.js';
import type { Caller, KeyCaller, Services } from '../context.js';
import { organisationOf } from './organisation.js';
import { jsonReply, type Reply } from '../reply.js';

const expiryMax = Date.parse('9999-12-31T23:59:59.999Z');

/** A key expires no later than the key with which it was created. */
function expiryOf({ expires: latest }: KeyCaller, given: string | null | undefined): string | null {
  const expiry = typeof given === 'string' ? Date.parse(given) : latest;
  if (expiry === null) return null;
  // The schema permits leap seconds, which Date does not parse, and years up to 9999, in the time zone of the text.
  if (!(expiry <= expiryMax))
    throw badRequest(
      `expires: expected a time without a leap second, before the year 10000, got ${JSON.stringify(given)}`,
    );
  if (expiry <= Date.now())
    throw badRequest(`expires: expected a time in the future, got ${JSON.stringify(given)}`);
  if (latest !== null && expiry > latest)
    throw badRequest(
      `expires: a key that expires at ${new Date(latest).toISOString()} cannot create one that expires later`,
    );
  return new Date(expiry).toISOString();
}

interface Wanted {
  readonly kind: 'api_key' | 'service_token';
  readonly userId: string;
  readonly scope: KeyScope;
}

/** @param check returns the key to create for the caller as it is then; runs while nothing else changes */
function makeKey(
  services: Services,
  by: KeyCaller,
  check: (current: KeyCaller) => Wanted,
): Promise<Reply> {
  const { accounts, catalog } = services;
  return catalog.change(async (changes) => {
    const { kind, userId, scope } = check({ ...by, ...currentPrincipal(services, by) });
    const homeId = catalog.grants.organisationsOf(userId)[0] ?? '';
    const draft = keyDraft(kind, userId, catalog.accessFields(userId) ?? {}, scope, homeId);
    const { key, write, stored } = accounts.newKey(draft);
    const [body] = await changes.all([write]);
    stored();
    return jsonReply(`${body!.slice(0, -1)},"last_used":null,"key":${JSON.stringify(key.key)}}`);
  }, by);
}

/**
 * Creates a key for the caller: for the named organisation, or for those of the key of the request.
 * @throws RequestError 403 for the scope `metrics` if the user owns none of them
 */
export async function createApiKey(
  services: Services,
  caller: Caller,
  { name, org_name: orgName, expires, scope = null }: ApiKeyCreate,
): Promise<Reply> {
  return makeKey(services, requirePrincipal(caller), (principal) => {
    const { orgIds, userId } = principal;
    const isForAll = typeof orgName !== 'string' && orgIds.length > 1;
    const orgId = isForAll ? null : organisationOf(services, principal, { orgName });
    if (scope !== null && !ownsSome(services.catalog, userId, orgId === null ? orgIds : [orgId]))
      throw forbidden(
        'scope: only an owner of the organisation may create a key for the metrics of the server',
      );
    return {
      kind: 'api_key',
      userId,
      scope: { name, orgId, expires: expiryOf(principal, expires), scope },
    };
  });
}

/**
 * A token has the grants of its account, so its creator must be allowed to grant them: to add users to each group of the account,
 * and to create its ACLs.
 */
function canGrantAll(services: Services, caller: KeyCaller, userId: string, orgId: string) {
  const { catalog } = services;
  const isOwn = ({ id, kind }: ObjectHeader): boolean => {
    const fields = catalog.accessFields(id);
    const members = (fields?.['member_users'] ?? []) as readonly string[];
    return kind === 'acl'
      ? fields?.['user_id'] === userId
      : members.some((each) => each.toLowerCase() === userId);
  };
  return [...catalog.ofKind('group'), ...catalog.ofKind('acl')]
    .filter((header) => !header.deleted && header.orgId === orgId && isOwn(header))
    .every((header) =>
      can(services, caller, header.kind === 'acl' ? 'create_acls' : 'update', header),
    );
}

/**
 * @throws RequestError 400 if the id is not that of a service account of the organisation, or the caller may not grant what the
 * account may do
 */
export async function createServiceToken(
  services: Services,
  caller: Caller,
  { name, service_account_id: id, org_name: orgName, expires }: ServiceTokenCreate,
): Promise<Reply> {
  return makeKey(services, requirePrincipal(caller), (principal) => {
    const orgId = organisationOf(services, principal, { orgName });
    const within = { ...principal, orgIds: [orgId] };
    const { id: userId } = requireObjectInBody(services, within, 'user', id, 'service_account_id');
    if (services.catalog.accessFields(userId)?.['is_service_account'] !== true)
      throw badRequest(`service_account_id: ${notFoundText('user', id)} as a service account`);
    if (!canGrantAll(services, within, userId, orgId))
      throw badRequest(
        `service_account_id: this key may not grant the permissions of the service account "${userId}"`,
      );
    const scope = { name, orgId, expires: expiryOf(principal, expires) };
    return { kind: 'service_token', userId, scope };
  });
}

/**
 * The writes that delete the keys and tokens of users that are only for this organisation; if the user belongs to no other one, also
 * those for all organisations, since another invitation would make them valid again.
 */
export function keyDeletions(
  { accounts, catalog }: Services,
  userIds: ReadonlySet<string>,
  orgId: string,
): readonly ObjectWrite[] {
  const isLast = (userId: string) =>
    catalog.grants.organisationsOf(userId).every((id) => id === orgId);
  return accounts.keys().flatMap((header) => {
    const holder = ownerOfKey({ catalog }, header.id);
    const scope = catalog.accessFields(header.id)?.['org_id'];
    const isEnded = scope === orgId || (scope === null && isLast(holder));
    return isEnded && userIds.has(holder) ? [{ removed: header }] : [];
  });
}
