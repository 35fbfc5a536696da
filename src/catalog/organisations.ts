// Creates organisations with an owner, and with roles and groups for owners, engineers and viewers.
import { randomUUID } from 'node:crypto';
import type { JsonValue } from '../json/json.js';
import { permissions, type ObjectType } from '../schema/permission.js';
import type { Catalog, ObjectDraft, ObjectWrite } from './catalog.js';
import { linkTo } from './grants.js';

interface Grant {
  readonly permission: string;
  readonly restrict_object_type: ObjectType | null;
}

/** The name of the first organisation if none is configured. */
export const defaultOrganisationName = 'evalstore';

const read: Grant = { permission: 'read', restrict_object_type: null };

/** The types of projects and their content. */
const projectTypes = ['project', 'experiment', 'dataset', 'prompt', 'project_log'] as const;

const standardRoles: readonly (readonly [role: string, group: string, grants: readonly Grant[]])[] =
  [
    [
      'Owner',
      'Owners',
      permissions.map((permission) => ({ permission, restrict_object_type: null })),
    ],
    [
      'Engineer',
      'Engineers',
      [
        read,
        ...projectTypes.flatMap((type) =>
          ['create', 'update', 'delete'].map((permission) => ({
            permission,
            restrict_object_type: type,
          })),
        ),
      ],
    ],
    ['Viewer', 'Viewers', [read]],
  ];

const fieldsOf = (fields: object): ReadonlyMap<string, JsonValue> =>
  new Map(Object.entries(fields) as [string, JsonValue][]);

const bare = { projectId: null, slug: null, xactId: null } as const;

/** The unique name of an ACL: its grant, grantee and object in a fixed order. */
const aclName = (item: Readonly<Record<string, unknown>>): string =>
  JSON.stringify([
    linkTo(item['object_type'] as ObjectType, String(item['object_id']).toLowerCase()),
    ...['user_id', 'group_id', 'permission', 'restrict_object_type', 'role_id'].map((name) => {
      const value = item[name];
      return typeof value === 'string' ? value.toLowerCase() : null;
    }),
  ]);

/** @param item the fields of an ACL without those that the server sets */
export const aclDraft = (orgId: string, item: Readonly<Record<string, unknown>>): ObjectDraft => ({
  ...bare,
  kind: 'acl',
  orgId,
  userId: '',
  name: aclName(item),
  fields: new Map(),
  set: fieldsOf({ user_id: null, ...item, _object_org_id: orgId }),
});

export const memberDraft = (orgId: string, userId: string): ObjectDraft => ({
  ...bare,
  kind: 'org_member',
  orgId,
  userId,
  name: userId,
  fields: new Map(),
});

/** @param fields of the user, including its email address if it has one */
export function userDraft(
  orgId: string,
  fields: { readonly email?: string | null; readonly family_name?: string },
  isServiceAccount = false,
): ObjectDraft & { readonly id: string } {
  const id = randomUUID();
  return {
    ...bare,
    id,
    kind: 'user',
    orgId,
    userId: id,
    name: fields.email ?? id,
    fields: fieldsOf({ ...fields, is_service_account: isServiceAccount }),
  };
}

/** The writes for the roles, groups and ACLs of a new organisation. The owner is the member of the first group. */
function standardGrants(orgId: string, ownerId: string): readonly ObjectWrite[] {
  return standardRoles.flatMap(([roleName, groupName, grants], index) => {
    const [roleId, groupId] = [randomUUID(), randomUUID()];
    const draft = { ...bare, orgId, userId: ownerId };
    const role: ObjectDraft = {
      ...draft,
      id: roleId,
      kind: 'role',
      name: roleName,
      fields: fieldsOf({ member_permissions: grants }),
    };
    const group: ObjectDraft = {
      ...draft,
      id: groupId,
      kind: 'group',
      name: groupName,
      fields: fieldsOf({ member_users: index === 0 ? [ownerId] : [] }),
    };
    const acl = aclDraft(orgId, {
      object_type: 'organization',
      object_id: orgId,
      group_id: groupId,
      role_id: roleId,
    });
    return [{ draft: role }, { draft: group }, { draft: acl }];
  });
}

/**
 * Creates an organisation with its owner.
 * @param ownerId an existing user; by default a new one
 */
export async function addOrganisation(
  catalog: Catalog,
  { id = randomUUID(), name, ownerId }: { id?: string; name: string; ownerId?: string },
): Promise<{ readonly orgId: string; readonly userId: string }> {
  const owner = ownerId === undefined ? userDraft(id, {}) : null;
  const userId = owner?.id ?? ownerId!;
  const organisation: ObjectDraft = {
    ...bare,
    id,
    kind: 'organization',
    orgId: id,
    userId,
    name,
    fields: new Map(),
  };
  await catalog.change((changes) =>
    changes.all([
      { draft: organisation },
      ...(owner === null ? [] : [{ draft: owner }]),
      { draft: memberDraft(id, userId) },
      ...standardGrants(id, userId),
    ]),
  );
  return { orgId: id, userId };
}
