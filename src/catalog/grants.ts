// The grants that follow from memberships, groups, roles and ACLs. A value is immutable and describes one state of them; each
// change creates a new value, so cached results are never stale.
import { eventTypes, type ObjectType, type Permission } from '../schema/permission.js';
import type { ObjectHeader } from './header.js';

/** A live access object as stored. */
export interface AccessObject {
  readonly header: ObjectHeader;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The key of an object of ACLs, for `Grants.allows`. */
export const linkTo = (type: ObjectType, id: string): string => `${type} ${id}`;

/**
 * The key of the grants that apply to at least one object of a type with events in an organisation, for `Grants.allows`. They are on
 * an object of the type, or on what contains such objects.
 */
export const someLink = (type: ObjectType, orgId: string): string => `some ${type} ${orgId}`;

const containerTypes: ReadonlySet<ObjectType> = new Set(['organization', 'org_project', 'project']);

/** The keys of an object of ACLs: its own, and those of the types of events that it has or contains. */
const keysOf = (type: ObjectType, id: string, orgId: string): readonly string[] => [
  linkTo(type, id),
  ...eventTypes
    .filter((each) => each === type || containerTypes.has(type))
    .map((each) => someLink(each, orgId)),
];

/** A permission, for one type of object or for all. */
const grantOf = (permission: unknown, type: unknown): string =>
  typeof type === 'string' ? `${String(permission)} ${type}` : String(permission);

/** Grants by the key of their object. */
type Granted = ReadonlyMap<string, ReadonlySet<string>>;

const idsIn = (value: unknown): readonly string[] =>
  ((value ?? []) as readonly string[]).map((id) => id.toLowerCase());

/** Everything reachable from `start`, including itself, once each; cycles are allowed. */
function reached(start: readonly string[], next: (id: string) => readonly string[]): Set<string> {
  const found = new Set(start);
  for (const id of found) for (const further of next(id)) found.add(further);
  return found;
}

const add = <K, V>(map: Map<K, V[]>, key: K, value: V): void => {
  const values = map.get(key);
  if (values === undefined) map.set(key, [value]);
  else values.push(value);
};

interface Role {
  readonly grants: ReadonlySet<string>;
  /** Ids of roles. */
  readonly includes: readonly string[];
}

export class Grants {
  readonly #objects: ReadonlyMap<string, AccessObject>;
  /** Organisations by user. */
  readonly #organisations = new Map<string, string[]>();
  /** Groups by their direct members, users or groups. */
  readonly #groups = new Map<string, string[]>();
  /** ACLs by their grantee. */
  readonly #acls = new Map<string, AccessObject[]>();
  readonly #granted = new Map<string, Granted>();
  /** By organisation and id: the roles alone, and those with the grants of the roles that they include. */
  readonly #ownRoles = new Map<string, Role>();
  readonly #roleGrants = new Map<string, ReadonlySet<string>>();

  constructor(objects: ReadonlyMap<string, AccessObject>) {
    this.#objects = objects;
    for (const object of objects.values()) this.#put(object);
  }

  #put(object: AccessObject): void {
    const { header, fields } = object;
    if (header.kind === 'org_member') add(this.#organisations, header.name, header.orgId);
    if (header.kind === 'group')
      for (const member of [...idsIn(fields['member_users']), ...idsIn(fields['member_groups'])])
        add(this.#groups, member, header.id);
    if (header.kind === 'acl')
      add(this.#acls, String(fields['user_id'] ?? fields['group_id']).toLowerCase(), object);
  }

  /** The organisations of a user, in the order of joining. */
  organisationsOf(userId: string): readonly string[] {
    return this.#organisations.get(userId) ?? [];
  }

  isMember(userId: string, orgId: string): boolean {
    return this.organisationsOf(userId).includes(orgId);
  }

  membersOf(orgId: string): readonly string[] {
    return [...this.#organisations]
      .filter(([, organisations]) => organisations.includes(orgId))
      .map(([userId]) => userId);
  }

  /**
   * Whether a user has a permission for a type of object on one of `links`, which are the object and its containers.
   */
  allows(
    userId: string,
    permission: Permission,
    type: ObjectType,
    links: readonly string[],
  ): boolean {
    const granted = this.#grantedTo(userId);
    const limited = grantOf(permission, type);
    return links.some((link) => {
      const grants = granted.get(link);
      return grants !== undefined && (grants.has(permission) || grants.has(limited));
    });
  }

  /** Whether a user has every permission on everything in an organisation. */
  owns(userId: string, orgId: string, permissions: readonly Permission[]): boolean {
    const grants = this.#grantedTo(userId).get(linkTo('organization', orgId));
    return permissions.every((permission) => grants?.has(permission) === true);
  }

  #grantedTo(userId: string): Granted {
    const known = this.#granted.get(userId);
    if (known !== undefined) return known;
    const granted = this.#computeGranted(userId);
    this.#granted.set(userId, granted);
    return granted;
  }

  /** A user has no grants in an organisation without being a member of it. */
  #computeGranted(userId: string): Granted {
    const granted = new Map<string, Set<string>>();
    const grantees = reached([userId], (id) => this.#groups.get(id) ?? []);
    for (const { header, fields } of [...grantees].flatMap((id) => this.#acls.get(id) ?? [])) {
      if (!this.isMember(userId, header.orgId)) continue;
      const type = fields['object_type'] as ObjectType;
      const id = String(fields['object_id']).toLowerCase();
      for (const key of keysOf(type, id, header.orgId)) {
        const grants = granted.get(key) ?? new Set();
        for (const grant of this.#grantsOf(header, fields)) grants.add(grant);
        granted.set(key, grants);
      }
    }
    return granted;
  }

  #grantsOf({ orgId }: ObjectHeader, fields: AccessObject['fields']): Iterable<string> {
    const { role_id: roleId, permission, restrict_object_type: type } = fields;
    return typeof roleId === 'string'
      ? this.#grantsOfRole(roleId.toLowerCase(), orgId)
      : [grantOf(permission, type)];
  }

  /** The grants of a role and of all roles that it includes. */
  #grantsOfRole(id: string, orgId: string): ReadonlySet<string> {
    const key = `${orgId} ${id}`;
    const known = this.#roleGrants.get(key);
    if (known !== undefined) return known;
    const grants = new Set<string>();
    for (const each of reached([id], (role) => this.#ownRole(role, orgId).includes))
      for (const grant of this.#ownRole(each, orgId).grants) grants.add(grant);
    this.#roleGrants.set(key, grants);
    return grants;
  }

  /** A role with its own grants, each of which it may list many times. */
  #ownRole(id: string, orgId: string): Role {
    const key = `${orgId} ${id}`;
    const known = this.#ownRoles.get(key);
    if (known !== undefined) return known;
    const found = this.#objects.get(id);
    const isRole = found?.header.kind === 'role' && found.header.orgId === orgId;
    const role = isRole ? ownRoleOf(found.fields) : { grants: new Set<string>(), includes: [] };
    this.#ownRoles.set(key, role);
    return role;
  }
}

const ownRoleOf = (fields: AccessObject['fields']): Role => ({
  grants: new Set(
    ((fields['member_permissions'] ?? []) as readonly Record<string, unknown>[]).map((each) =>
      grantOf(each['permission'], each['restrict_object_type']),
    ),
  ),
  includes: idsIn(fields['member_roles']),
});
