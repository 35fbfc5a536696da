// The live access objects (memberships, groups, roles and ACLs) in memory, and the grants computed from them. An organisation
// never loses its last owner, a user with every permission on everything in it.
import { badRequest } from '../errors.js';
import { permissions } from '../schema/permission.js';
import { Grants, type AccessObject } from './grants.js';
import type { ObjectHeader } from './header.js';

export const accessKinds: ReadonlySet<string> = new Set([
  'organization',
  'user',
  'org_member',
  'group',
  'role',
  'acl',
  'api_key',
  'service_token',
]);

interface StoredObject {
  readonly header: ObjectHeader;
  /** JSON text. */
  readonly body: string;
}

/** Without the description, which has no part in access and can be long. */
export function accessObject(header: ObjectHeader, body: string): AccessObject {
  const fields = JSON.parse(body) as Record<string, unknown>;
  delete fields['description'];
  return { header, fields };
}

const hasOwner = (grants: Grants, orgId: string): boolean =>
  grants.membersOf(orgId).some((userId) => grants.owns(userId, orgId, permissions));

/** When a key expires, in milliseconds since 1970; null for never. */
export const keyExpiry = ({ expires }: AccessObject['fields']): number | null =>
  typeof expires === 'string' ? Date.parse(expires) : null;

export class AccessState {
  readonly objects: ReadonlyMap<string, AccessObject>;
  #grants: Grants | undefined;

  constructor(objects: ReadonlyMap<string, AccessObject>) {
    this.objects = objects;
  }

  get grants(): Grants {
    return (this.#grants ??= new Grants(this.objects));
  }

  /** The fields of a key; undefined if it was deleted or has expired. */
  keyFields(id: string): AccessObject['fields'] | undefined {
    const fields = this.objects.get(id)?.fields;
    const expires = fields === undefined ? null : keyExpiry(fields);
    return expires === null || expires > Date.now() ? fields : undefined;
  }

  /**
   * Returns the state after these writes; the same state if they do not affect access.
   * @throws RequestError 400 if an organisation would lose its last owner
   */
  with(writes: readonly StoredObject[]): AccessState {
    const changed = writes.filter(({ header }) => accessKinds.has(header.kind));
    if (changed.length === 0) return this;
    const objects = new Map(this.objects);
    for (const { header, body } of changed)
      if (header.deleted) objects.delete(header.id);
      else objects.set(header.id, accessObject(header, body));
    const next = new AccessState(objects);
    this.#keepOwners(next, changed);
    return next;
  }

  /** An addition cannot remove an owner. */
  #keepOwners(next: AccessState, changed: readonly StoredObject[]): void {
    const touched = changed.filter(({ header }) => this.objects.has(header.id));
    for (const orgId of new Set(touched.map(({ header }) => header.orgId)))
      if (hasOwner(this.grants, orgId) && !hasOwner(next.grants, orgId))
        throw badRequest(
          'the organisation would have no owner left: no user would have every permission on it',
        );
  }
}
