// Schemas of organisations, users, groups, ACLs, API keys and service tokens, and of the bodies that create and update them.
// Field order is the order in answers.
import { Type, type Static } from 'typebox';
import { atMost, limits } from './limits.js';
import { description, id, orgId, orgName } from './object.js';
import { listParameters } from './request.js';
import { ObjectTypeName, PermissionName, restrictObjectType } from './permission.js';
import {
  Flag,
  Name,
  Text,
  Timestamp,
  Uuid,
  closed,
  described,
  nullable,
  optional,
} from './scalar.js';

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

const organizationName = 'Name, unique on this server.';

export const Organization = Type.Object(
  { id, name: described(Name, organizationName), ...organizationSettings, created },
  { ...closed, title: 'Organization' },
);

export const OrganizationPatch = Type.Object(
  { name: optional(Name, organizationName), ...organizationSettings },
  { ...closed, title: 'OrganizationPatch' },
);

export const User = Type.Object(
  {
    id,
    given_name: optional(Text, 'Given name.'),
    family_name: optional(Text, 'Family name, or the name of a service account.'),
    email: optional(Text, 'Email address.'),
    avatar_url: optional(Text, 'URL of a picture.'),
    created,
    is_service_account: described(Flag, 'Whether it is a service account.'),
  },
  { ...closed, title: 'User' },
);

/** The membership of a user in an organisation; no operation returns it. */
export const OrganizationMember = Type.Object(
  { id, user_id: described(Uuid, 'The user.') },
  closed,
);

const ids = (text: string) => described(Type.Array(Uuid, atMost(limits.members)), text);
const optionalIds = (text: string) => optional(Type.Array(Uuid, atMost(limits.members)), text);

const groupName = 'Name, unique within the organisation.';
const memberUsers = 'Users in the group.';
const memberGroups = 'Groups that it contains; grants to this group also apply to their members.';

export const Group = Type.Object(
  {
    id,
    org_id: orgId,
    user_id: creator,
    created,
    name: described(Name, groupName),
    description,
    deleted_at: deletedAt,
    member_users: Type.Array(Uuid, { default: [], description: memberUsers }),
    member_groups: Type.Array(Uuid, { default: [], description: memberGroups }),
  },
  { ...closed, title: 'Group' },
);

export const GroupCreate = Type.Object(
  {
    name: described(Name, groupName),
    description,
    member_users: optionalIds(memberUsers),
    member_groups: optionalIds(memberGroups),
    org_name: orgName,
  },
  { ...closed, title: 'GroupCreate' },
);

export const GroupPatch = Type.Object(
  {
    name: optional(Name, groupName),
    description,
    add_member_users: optionalIds('Users to add.'),
    remove_member_users: optionalIds('Users to remove.'),
    add_member_groups: optionalIds('Groups to add.'),
    remove_member_groups: optionalIds('Groups to remove.'),
  },
  { ...closed, title: 'GroupPatch' },
);

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

export const Acl = Type.Object(
  {
    id,
    ...aclFields,
    _object_org_id: described(Uuid, 'Organisation of the object.'),
    created,
  },
  { ...closed, title: 'Acl' },
);

export const AclItem = Type.Object(aclFields, { ...closed, title: 'AclItem' });

export type AclItem = Static<typeof AclItem>;

const aclItems = (text: string) => optional(Type.Array(AclItem, atMost(limits.members)), text);

export const AclBatch = Type.Object(
  {
    add_acls: aclItems('ACLs to create; existing ones stay unchanged.'),
    remove_acls: aclItems('ACLs to delete; missing ones are ignored.'),
  },
  { ...closed, title: 'AclBatch' },
);

export const AclBatchResult = Type.Object(
  {
    added_acls: Type.Array(Acl, { description: 'Created ACLs.' }),
    removed_acls: Type.Array(Acl, { description: 'Deleted ACLs.' }),
  },
  { ...closed, title: 'AclBatchResult' },
);

const keyName = described(Name, 'Name; need not be unique.');
const preview = described(Text, 'Last characters of the secret.');
const keyOrganisation = described(
  nullable(Uuid),
  'Organisation of the key; null for all organisations of its user.',
);
const expires = optional(Timestamp, 'Expiry; null for never.');
const lastUsed = optional(Timestamp, 'Time of its last use, to the minute; null for never.');
const secret = described(Text, 'The secret. It is shown only once.');

/** `last_used` is stored separately. */
export const StoredApiKey = Type.Object(
  {
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
  },
  closed,
);

export const ApiKey = Type.Object(
  { ...StoredApiKey.properties, last_used: lastUsed },
  { ...closed, title: 'ApiKey' },
);

export const NewApiKey = Type.Object(
  { ...ApiKey.properties, key: secret },
  { ...closed, title: 'NewApiKey' },
);

export const ApiKeyCreate = Type.Object(
  { name: keyName, org_name: orgName, expires },
  { ...closed, title: 'ApiKeyCreate' },
);

export const StoredServiceToken = Type.Object(
  {
    id,
    created,
    name: keyName,
    preview_name: preview,
    service_account_id: described(Uuid, 'Service account of the token.'),
    service_account_email: optional(Text, 'Email address of the service account.'),
    service_account_name: optional(Text, 'Name of the service account.'),
    org_id: keyOrganisation,
    expires,
  },
  closed,
);

export const ServiceToken = Type.Object(
  { ...StoredServiceToken.properties, last_used: lastUsed },
  { ...closed, title: 'ServiceToken' },
);

export const NewServiceToken = Type.Object(
  { ...ServiceToken.properties, key: secret },
  { ...closed, title: 'NewServiceToken' },
);

export const ServiceTokenCreate = Type.Object(
  {
    name: keyName,
    service_account_id: described(Uuid, 'Service account of the new token.'),
    org_name: orgName,
    expires,
  },
  { ...closed, title: 'ServiceTokenCreate' },
);

const kindText = 'Kind of the object, as in the path of its operations, or `org_member`.';

export const AuditEntry = Type.Object(
  {
    id,
    org_id: orgId,
    created: described(Timestamp, 'Time of the change.'),
    user_id: optional(Uuid, 'User who made the change; null for the server itself.'),
    key_id: optional(Uuid, 'Key of the request.'),
    request_id: optional(Uuid, 'Id of the request: its header `x-request-id`, as in the log.'),
    action: described(Type.Enum(['create', 'update', 'delete']), 'Action.'),
    object_type: described(Text, kindText),
    object_id: described(Uuid, 'Changed object.'),
    object_name: described(
      Text,
      'Name of the object at that time; for an ACL its grant and grantee, for a member the id of the user.',
    ),
  },
  { ...closed, title: 'AuditLogEntry' },
);

const { limit, starting_after, ending_before, ids: entryIds, org_name } = listParameters;

export const AuditParameters = Type.Object(
  {
    limit,
    starting_after,
    ending_before,
    ids: entryIds,
    org_name,
    object_type: Type.Optional(described(Text, 'Only changes of objects of this kind.')),
    object_id: Type.Optional(described(Uuid, 'Only changes of this object.')),
    user_id: Type.Optional(described(Uuid, 'Only changes by this user.')),
    action: Type.Optional(
      described(Type.Enum(['create', 'update', 'delete']), 'Only this action.'),
    ),
  },
  closed,
);

const emails = (text: string) =>
  optional(Type.Array(Type.String({ minLength: 3, maxLength: 320 }), atMost(limits.members)), text);
const names = (text: string) => optional(Type.Array(Name, atMost(limits.members)), text);

const ServiceAccountInvite = Type.Object(
  {
    name: described(Name, 'Name of the service account.'),
    token_name: optional(Name, 'Name of a new service token; without it, none is created.'),
  },
  { ...closed, title: 'ServiceAccountInvite' },
);

export const MembersPatch = Type.Object(
  {
    invite_users: optional(
      Type.Object(
        {
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
        },
        { ...closed, title: 'Invitation' },
      ),
      'Users to add.',
    ),
    remove_users: optional(
      Type.Object(
        { ids: optionalIds('Their ids.'), emails: emails('Their email addresses.') },
        { ...closed, title: 'Removal' },
      ),
      'Users to remove.',
    ),
    org_name: optional(Text, 'Organisation; required only if the key belongs to several.'),
    org_id: optional(Uuid, 'Id of the organisation.'),
  },
  { ...closed, title: 'MembersPatch' },
);

export type MembersPatch = Static<typeof MembersPatch>;

export const MembersResult = Type.Object(
  {
    status: Type.Literal('success', { description: 'Always `success`.' }),
    org_id: orgId,
    added_users: Type.Array(
      Type.Object(
        {
          id,
          email: optional(Text, 'Email address.'),
          service_token: Type.Optional(secret),
        },
        { ...closed, title: 'AddedUser' },
      ),
      { description: 'Users that became members.' },
    ),
    removed_users: ids('Ids of users that are no longer members.'),
  },
  { ...closed, title: 'MembersResult' },
);
