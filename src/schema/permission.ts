// The permissions that roles and ACLs grant, and the types of objects.
import { Type } from 'typebox';
import { described, optional } from './scalar.js';

export const permissions = [
  'create',
  'read',
  'update',
  'delete',
  'create_acls',
  'read_acls',
  'update_acls',
  'delete_acls',
] as const;

export type Permission = (typeof permissions)[number];

/** The permission on an organisation that its audit log requires. */
export const auditPermission: Permission = 'read_acls';

/**
 * - `org_project`: all projects of an organisation; named by the id of the organisation
 * - `org_member`: the members of an organisation; named by its id
 * - `project_log`: the logs of a project; named by its id
 * - `prompt_session`: exists on other servers only
 */
export const objectTypes = [
  'organization',
  'project',
  'experiment',
  'dataset',
  'prompt',
  'prompt_session',
  'group',
  'role',
  'org_member',
  'project_log',
  'org_project',
] as const;

export type ObjectType = (typeof objectTypes)[number];

export const PermissionName = Type.Enum([...permissions]);

/** The types of objects that have events. */
export const eventTypes = ['project_log', 'experiment', 'dataset'] as const;

export const ObjectTypeName = Type.Enum([...objectTypes]);

export const restrictObjectType = optional(
  ObjectTypeName,
  'Type of object to which it is limited; null for every type.',
);

export const permissionName = described(PermissionName, 'Permission that it grants.');
