// What only roles do: they inherit from other roles, but never from themselves.
import type { ObjectFields, ObjectHeader } from '../catalog/header.js';
import { badRequest } from '../errors.js';
import type { Services } from './context.js';

const memberRoles = (fields: ObjectFields): readonly string[] =>
  ((fields.get('member_roles') ?? []) as readonly string[]).map((id) => id.toLowerCase());

/**
 * Roles are made once, from roles that were there before, so that only a body with the name of an existing
 * one can close a circle.
 * @throws RequestError 400 when `existing` would inherit from itself with the fields of the body
 */
export async function checkInheritance(
  services: Services,
  existing: ObjectHeader,
  sent: ObjectFields,
): Promise<void> {
  const inherited = new Set(memberRoles(sent));
  for (const id of inherited) {
    if (id === existing.id) {
      throw badRequest(
        `member_roles: the role ${JSON.stringify(existing.name)} would inherit from itself`,
      );
    }
    for (const further of memberRoles(await services.catalog.fields(id))) inherited.add(further);
  }
}
