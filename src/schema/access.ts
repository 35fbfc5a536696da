// Schemas of organisations, users, groups, ACLs, API keys and service tokens, and of the bodies that create and update them.
// Field order is the order in answers.
import { Type, type Static } from 'typebox';
import { atMost, limits } from './limits.js';
import { description, id, orgId, orgName } from './object.js';
import { listParameters } from './request.js';
import { OrganizationSettings, jobKinds } from './removal.js';
import { ObjectTypeName, PermissionName, restrictObjectType } from './permission.js';
import {
  Flag,
  Name,
  Text,
  Timestamp,
  Uuid,
  component,
  described,
  exactly,
  nullable,
  omittable,
  optional,
} from './scalar.js';
import { both, never, none } from './together.js';

const created = optional(Timestamp, 'Time of creation; null if unknown.');
const deletedAt = optional(Timestamp, 'Time of deletion; null if it is not deleted.');
const creator = described(Uuid, 'User who created it.');

const address = optional(Text, 'Stored for clients; this server does not use it.');

const organizationSettings = {
  api_url: address,
  is_universal_api: optional(Flag, 'Stored for clients; this server does not use it.'),
  proxy_url: address,
  realtime_url: address,
};

const retentionDefaults = 'Defaults of its projects.';

const organizationName = 'Name, unique on this server.';

export const Organization = component('Organization', {
  id,
  name: described(Name, organizationName),
  ...organizationSettings,
  created,
  /** Omitted if absent: older clients do not know it. */
  settings: omittable(nullable(OrganizationSettings), retentionDefaults),
});

export const OrganizationPatch = component('OrganizationPatch', {
  name: optional(Name, organizationName),
  ...organizationSettings,
  settings: optional(OrganizationSettings, retentionDefaults),
  image_rendering_mode: optional(Text, 'Ignored: the console never loads images of other servers.'),
  is_dataplane_private: optional(Flag, 'Ignored: all data is on this server.'),
});

export const User = component('User', {
  id,
  given_name: optional(Text, 'Given name.'),
  family_name: optional(Text, 'Family name, or the name of a service account.'),
  email: optional(Text, 'Email address.'),
  avatar_url: optional(Text, 'URL of a picture.'),
  created,
  is_service_account: described(Flag, 'Whether it is a service account.'),
});

/** The membership of a user in an organisation; no operation returns it. */
export const OrganizationMember = exactly({ id, user_id: described(Uuid, 'The user.') });

const ids = (text: string) => described(Type.Array(Uuid, atMost(limits.members)), text);
const optionalIds = (text: string) => optional(Type.Array(Uuid, atMost(limits.members)), text);

const groupName = 'Name, unique within the organisation.';
const memberUsers = 'Users in the group.';
const memberGroups = 'Groups that it contains; grants to this group also apply to their members.';

export const Group = component('Group', {
  id,
  org_id: orgId,
  user_id: creator,
  created,
  name: described(Name, groupName),
  description,
  deleted_at: deletedAt,
  member_users: Type.Array(Uuid, { default: [], description: memberUsers }),
  member_groups: Type.Array(Uuid, { default: [], description: memberGroups }),
});

export const GroupCreate = component('GroupCreate', {
  name: described(Name, groupName),
  description,
  member_users: optionalIds(memberUsers),
  member_groups: optionalIds(memberGroups),
  org_name: orgName,
});

export const GroupPatch = component('GroupPatch', {
  name: optional(Name, groupName),
  description,
  member_users: optionalIds('Users in the group, instead of those before.'),
  member_groups: optionalIds('Groups that it contains, instead of those before.'),
  add_member_users: optionalIds('Users to add.'),
  remove_member_users: optionalIds('Users to remove.'),
  add_member_groups: optionalIds('Groups to add.'),
  remove_member_groups: optionalIds('Groups to remove.'),
});

const aclFields = {
  object_type: described(ObjectTypeName, 'Type of the object.'),
  object_id: described(
    Uuid,
    'Id of the object; for `org_project` and `org_member` the organisation, for `project_log` the project.',
  ),
  user_id: optional(
    Uuid,
    'User who gets the grant; exactly one of `user_id` and `group_id` is set.',
  ),
  group_id: optional(Uuid, 'Group that gets the grant.'),
  permission: optional(
    PermissionName,
    'Granted permission; exactly one of `permission` and `role_id` is set.',
  ),
  restrict_object_type: restrictObjectType,
  role_id: optional(Uuid, 'Granted role.'),
};

export const Acl = component('Acl', {
  id,
  ...aclFields,
  _object_org_id: described(Uuid, 'Organisation of the object.'),
  created,
});

export const AclItem = component('AclItem', aclFields, {
  documented: never(
    none('user_id', 'group_id'),
    both('user_id', 'group_id'),
    none('permission', 'role_id'),
    both('permission', 'role_id'),
    both('restrict_object_type', 'role_id'),
  ),
});

export type AclItem = Static<typeof AclItem>;

const aclItems = (text: string) => optional(Type.Array(AclItem, atMost(limits.members)), text);

export const AclBatch = component('AclBatch', {
  add_acls: aclItems('ACLs to create; existing ones stay unchanged.'),
  remove_acls: aclItems('ACLs to delete; missing ones are ignored.'),
});

export const AclBatchResult = component('AclBatchResult', {
  added_acls: Type.Array(Acl, { description: 'Created ACLs.' }),
  removed_acls: Type.Array(Acl, { description: 'Deleted ACLs.' }),
});

const keyName = described(Name, 'Name; need not be unique.');
const preview = described(Text, 'Last characters of the secret.');
const keyOrganisation = described(
  nullable(Uuid),
  'Organisation of the key; null for all organisations of its user.',
);
const expires = optional(Timestamp, 'Expiry; null for never.');
const scope = Type.Enum(['metrics']);
const lastUsed = optional(Timestamp, 'Time of its last use, to the minute; null for never.');
const secret = described(Text, 'The secret. It is shown only once.');

/** `last_used` is stored separately. */
export const StoredApiKey = exactly({
  id,
  created,
  name: keyName,
  preview_name: preview,
  user_id: described(Uuid, 'User of the key.'),
  user_email: optional(Text, 'Email address of the user.'),
  user_given_name: optional(Text, 'Given name of the user.'),
  user_family_name: optional(Text, 'Family name of the user.'),
  org_id: keyOrganisation,
  expires,
  scope: omittable(scope, '`metrics` if the key may only read `/metrics`; else absent.'),
});

export const ApiKey = component('ApiKey', { ...StoredApiKey.properties, last_used: lastUsed });

export const NewApiKey = component('NewApiKey', { ...ApiKey.properties, key: secret });

export const ApiKeyCreate = component('ApiKeyCreate', {
  name: keyName,
  org_name: orgName,
  expires,
  scope: optional(
    scope,
    '`metrics`: the key may only read `/metrics`, with the numbers of the whole server. Needs every permission on an `organization`.',
  ),
});

export type ApiKeyCreate = Static<typeof ApiKeyCreate>;

export const StoredServiceToken = exactly({
  id,
  created,
  name: keyName,
  preview_name: preview,
  service_account_id: described(Uuid, 'Service account of the token.'),
  service_account_email: optional(Text, 'Email address of the service account.'),
  service_account_name: optional(Text, 'Name of the service account.'),
  org_id: keyOrganisation,
  expires,
});

export const ServiceToken = component('ServiceToken', {
  ...StoredServiceToken.properties,
  last_used: lastUsed,
});

export const NewServiceToken = component('NewServiceToken', {
  ...ServiceToken.properties,
  key: secret,
});

export const ServiceTokenCreate = component('ServiceTokenCreate', {
  name: keyName,
  service_account_id: described(Uuid, 'Service account of the new token.'),
  org_name: orgName,
  expires,
});

export type ServiceTokenCreate = Static<typeof ServiceTokenCreate>;

/** What the audit log records. */
export const auditActions = ['create', 'update', 'delete', ...jobKinds] as const;

const kindText = 'Kind of the object, as in the path of its operations, or `org_member`.';

export const AuditEntry = component('AuditLogEntry', {
  id,
  org_id: orgId,
  created: described(Timestamp, 'Time of the change.'),
  user_id: optional(Uuid, 'User who made the change; null for the server itself.'),
  key_id: optional(Uuid, 'Key of the request.'),
  request_id: optional(Uuid, 'Id of the request: its header `x-request-id`, as in the log.'),
  action: described(
    Type.Enum([...auditActions]),
    'Action; `retention` and `purge` removed events.',
  ),
  object_type: described(Text, kindText),
  object_id: described(Uuid, 'Changed object.'),
  object_name: described(
    Text,
    'Name of the object at that time; for an ACL its grant and grantee, for a member the id of the user. If events were removed, the job and the number of their row versions follow.',
  ),
});

const { limit, starting_after, ending_before, ids: entryIds, org_name } = listParameters;

export const AuditParameters = exactly({
  limit,
  starting_after,
  ending_before,
  ids: entryIds,
  org_name,
  object_type: omittable(Text, 'Only changes of objects of this type.'),
  object_id: omittable(Uuid, 'Only changes of this object.'),
  user_id: omittable(Uuid, 'Only changes by this user.'),
  action: omittable(Type.Enum([...auditActions]), 'Only this action.'),
});

const emails = (text: string) =>
  optional(Type.Array(Type.String({ minLength: 3, maxLength: 320 }), atMost(limits.members)), text);
const names = (text: string) => optional(Type.Array(Name, atMost(limits.members)), text);

/** 100 years. */
const tokenSecondsMax = 3_153_600_000;

const ServiceAccountInvite = component('ServiceAccountInvite', {
  name: described(Name, 'Name of the service account.'),
  token_name: optional(Name, 'Name of a new service token; without it, none is created.'),
  token_expires_in_seconds: optional(
    Type.Integer({ minimum: 1, maximum: tokenSecondsMax }),
    'Seconds after which the token expires; it expires no later than the key of the request.',
  ),
});

export const MembersPatch = component('MembersPatch', {
  invite_users: optional(
    component('Invitation', {
      ids: optionalIds('Existing users to add.'),
      emails: emails('Email addresses of users to add; missing users are created.'),
      service_accounts: optional(
        Type.Array(ServiceAccountInvite, atMost(limits.members)),
        'Service accounts to create.',
      ),
      send_invite_emails: optional(Flag, 'Ignored: this server sends no mail.'),
      group_id: optional(Uuid, 'Group for the new members.'),
      group_name: optional(Text, 'Name of a group for the new members.'),
      group_ids: optionalIds('Groups for the new members.'),
      group_names: names('Names of groups for the new members.'),
      project_group_id: optional(Uuid, 'Ignored: there are no groups of projects.'),
    }),
    'Users to add.',
  ),
  remove_users: optional(
    component('Removal', {
      ids: optionalIds('Their ids.'),
      emails: emails('Their email addresses.'),
    }),
    'Users to remove.',
  ),
  org_name: optional(
    Text,
    'Organisation; by default the one that the user of the key joined first.',
  ),
  org_id: optional(Uuid, 'Id of the organisation.'),
});

export type MembersPatch = Static<typeof MembersPatch>;

export const MembersResult = component('MembersResult', {
  status: Type.Literal('success', { description: 'Always `success`.' }),
  org_id: orgId,
  added_users: Type.Array(
    component('AddedUser', {
      id,
      email: optional(Text, 'Email address.'),
      service_token: Type.Optional(secret),
    }),
    { description: 'Users that became members; those that were members already are left out.' },
  ),
  removed_users: ids('Ids of users that are no longer members.'),
});
