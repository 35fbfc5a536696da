// Creates and changes ACLs, which grant a permission or a role on an object to a user or a group. No two ACLs are equal.
import type { ObjectWrite } from '../../catalog/catalog.js';
import type { ObjectHeader } from '../../catalog/header.js';
import { aclDraft } from '../../catalog/organisations.js';
import { badRequest } from '../../errors.js';
import type { AclItem } from '../../schema/access.js';
import type { Permission } from '../../schema/permission.js';
import { aclTarget, requirePrincipal } from './access.js';
import type { Caller, Services } from '../context.js';
import { checkReference } from './references.js';
import { jsonReply, type Reply } from '../reply.js';

const lowerCase = (id: string | null | undefined): string | null => id?.toLowerCase() ?? null;

/** @throws RequestError 400 unless the item has exactly one of the two fields */
function needOne(item: AclItem, place: string, one: keyof AclItem, other: keyof AclItem): void {
  const count = [item[one], item[other]].filter((value) => typeof value === 'string').length;
  if (count !== 1) throw badRequest(`${place}${one}: give either ${one} or ${other}`);
}

/** Checks that the user, group or role of an ACL is in the organisation of its object. */
function checkNamed(
  services: Services,
  caller: Caller,
  item: AclItem,
  orgId: string,
  place: string,
): void {
  for (const [field, kind] of [
    ['user_id', 'user'],
    ['group_id', 'group'],
    ['role_id', 'role'],
  ] as const) {
    const id = item[field];
    if (typeof id === 'string')
      checkReference(services, caller, kind, id, orgId, `${place}${field}`);
  }
}

interface NamedAcl {
  readonly draft: ReturnType<typeof aclDraft>;
  readonly existing: ObjectHeader | undefined;
}

/** @param place the path of the item in the body, followed by a dot */
function readAcl(
  services: Services,
  caller: Caller,
  permission: Permission,
  item: AclItem,
  place: string,
): NamedAcl {
  needOne(item, place, 'user_id', 'group_id');
  needOne(item, place, 'permission', 'role_id');
  const { object_type: type, object_id: id, restrict_object_type: restricted = null } = item;
  if (typeof item.role_id === 'string' && restricted !== null)
    throw badRequest(`${place}restrict_object_type: not allowed together with role_id`);
  const target = aclTarget(services, caller, permission, { type, id }, `${place}object_id`);
  if (permission === 'create_acls') checkNamed(services, caller, item, target.orgId, place);
  const draft = aclDraft(target.orgId, {
    object_type: type,
    object_id: target.id,
    user_id: lowerCase(item.user_id),
    group_id: lowerCase(item.group_id),
    permission: item.permission ?? null,
    restrict_object_type: restricted,
    role_id: lowerCase(item.role_id),
  });
  return { draft, existing: services.catalog.objectWithKey(draft) };
}

/** Returns the ACL with this content, and creates it if there is none. */
export function createAcl(services: Services, caller: Caller, item: AclItem): Promise<Reply> {
  const principal = requirePrincipal(caller);
  return services.catalog.change(async (changes) => {
    const { draft, existing } = readAcl(services, caller, caller.permission, item, '');
    if (existing === undefined) return jsonReply(await changes.insert(draft));
    const body = await services.catalog.body(existing.id);
    return jsonReply(body, { 'x-bt-found-existing': 'true' });
  }, principal);
}

/**
 * Deletes the ACL with this content and returns it.
 * @throws RequestError 400 if there is none
 */
export function deleteAcl(services: Services, caller: Caller, item: AclItem): Promise<Reply> {
  const principal = requirePrincipal(caller);
  return services.catalog.change(async (changes) => {
    const { existing } = readAcl(services, caller, caller.permission, item, '');
    if (existing === undefined) throw badRequest('there is no ACL with these fields');
    return jsonReply(await changes.remove(existing));
  }, principal);
}

type AclItems = readonly AclItem[] | null | undefined;

const listOf = (bodies: readonly string[]): string => `[${bodies.join(',')}]`;

/** Adds and removes ACLs in one transaction. Existing ones are not added again, and missing ones are ignored. */
export function updateAcls(
  services: Services,
  caller: Caller,
  { add_acls, remove_acls }: { readonly add_acls?: AclItems; readonly remove_acls?: AclItems },
): Promise<Reply> {
  const principal = requirePrincipal(caller);
  const read = (items: AclItems, name: string, permission: Permission) =>
    new Map(
      (items ?? []).map((item, index) => {
        const acl = readAcl(services, caller, permission, item, `${name}[${index}].`);
        return [acl.draft.name, acl];
      }),
    );
  return services.catalog.change(async (changes) => {
    const removed = read(remove_acls, 'remove_acls', 'delete_acls');
    const added = read(add_acls, 'add_acls', caller.permission);
    for (const name of removed.keys())
      if (added.has(name)) throw badRequest('remove_acls: an ACL is in add_acls, too');
    const writes = [
      ...[...added.values()].flatMap(({ draft, existing }): ObjectWrite[] =>
        existing === undefined ? [{ draft }] : [],
      ),
      ...[...removed.values()].flatMap(({ existing }): ObjectWrite[] =>
        existing === undefined ? [] : [{ removed: existing }],
      ),
    ];
    const bodies = await changes.all(writes);
    const bodiesOf = (name: 'draft' | 'removed') =>
      listOf(bodies.filter((_body, index) => name in writes[index]!));
    return jsonReply(`{"added_acls":${bodiesOf('draft')},"removed_acls":${bodiesOf('removed')}}`);
  }, principal);
}
