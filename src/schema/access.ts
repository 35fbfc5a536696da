// Organisations, users, groups, ACLs, API keys and service tokens, and the bodies that create and change them.
// Field order is the order of answers.
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

const created = optional(Timestamp, 'When it was created; null when that is not known.');
const deletedAt = optional(Timestamp, 'When it was deleted; null while it is active.');
const creator = described(Uuid, 'User who created it.');

const address = optional(Text, 'Kept for clients; this server does not use it.');

const organizationSettings = {
  api_url: address,
  is_universal_api: optional(Flag, 'Kept for clients; this server does not use it.'),
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
    family_name: optional(Text, 'Family name; of a service account, its name.'),
    email: optional(Text, 'Email address.'),
    avatar_url: optional(Text, 'Address of a picture.'),
    created,
    is_service_account: described(Flag, 'Whether it is a program that has service tokens.'),
  },
  { ...closed, title: 'User' },
);

/** A user in an organisation; no operation answers it. */
export const OrganizationMember = Type.Object(
  { id, user_id: described(Uuid, 'The user.') },
  closed,
);

const ids = (text: string) => described(Type.Array(Uuid, atMost(limits.members)), text);
const optionalIds = (text: string) => optional(Type.Array(Uuid, atMost(limits.members)), text);

const groupName = 'Name, unique within the organisation.';
const memberUsers = 'Users that belong to the group.';
const memberGroups =
  'Groups that it contains: their members have what is granted to this group, too.';

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
  object_type: described(ObjectTypeName, 'Type of the object that it is on.'),
  object_id: described(
    Uuid,
    'Id of that object; of `org_project` and `org_member` the organisation, of `project_log` the project.',
  ),
  user_id: optional(Uuid, 'User that it grants to; either this or `group_id`.'),
  group_id: optional(Uuid, 'Group that it grants to.'),
  permission: optional(PermissionName, 'Permission that it grants; either this or `role_id`.'),
  restrict_object_type: restrictObjectType,
  role_id: optional(Uuid, 'Role whose permissions it grants.'),
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
    add_acls: aclItems('ACLs to create; those that exist already stay as they are.'),
    remove_acls: aclItems('ACLs to delete; those that do not exist are ignored.'),
  },
  { ...closed, title: 'AclBatch' },
);

export const AclBatchResult = Type.Object(
  {
    added_acls: Type.Array(Acl, { description: 'Those that were created.' }),
    removed_acls: Type.Array(Acl, { description: 'Those that were deleted.' }),
  },
  { ...closed, title: 'AclBatchResult' },
);

const keyName = described(Name, 'Name; several may have the same.');
const preview = described(Text, 'Its last characters, to tell it from others.');
const keyOrganisation = described(
  nullable(Uuid),
  'Organisation that it is for; null for all that its user belongs to.',
);
const expires = optional(Timestamp, 'When it ceases to be valid; null for never.');
const lastUsed = optional(Timestamp, 'When it was last used, within a minute; null for never.');
const secret = described(Text, 'The secret. It is shown only this once.');

/** `last_used` is not stored with the other fields. */
export const StoredApiKey = Type.Object(
  {
    id,
    created,
    name: keyName,
    preview_name: preview,
    user_id: described(Uuid, 'User that it speaks for.'),
    user_email: optional(Text, 'Email address of that user.'),
    user_given_name: optional(Text, 'Given name of that user.'),
    user_family_name: optional(Text, 'Family name of that user.'),
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
    service_account_id: described(Uuid, 'Service account that it speaks for.'),
    service_account_email: optional(Text, 'Email address of that account.'),
    service_account_name: optional(Text, 'Name of that account.'),
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
    service_account_id: described(Uuid, 'Service account that it is to speak for.'),
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
    created: described(Timestamp, 'When it was done.'),
    user_id: optional(Uuid, 'User who did it; null for the server itself.'),
    key_id: optional(Uuid, 'Key that it was done with.'),
    request_id: optional(Uuid, 'Request that did it: its header `x-request-id`, as in the log.'),
    action: described(Type.Enum(['create', 'update', 'delete']), 'What was done.'),
    object_type: described(Text, kindText),
    object_id: described(Uuid, 'Object that it was done to.'),
    object_name: described(
      Text,
      'Name that the object had then; of an ACL what it grants to whom, of a member the id of the user.',
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
    user_id: Type.Optional(described(Uuid, 'Only what this user did.')),
    action: Type.Optional(
      described(Type.Enum(['create', 'update', 'delete']), 'Only changes of this sort.'),
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
    token_name: optional(Name, 'Name of its service token; none is made without it.'),
  },
  { ...closed, title: 'ServiceAccountInvite' },
);

export const MembersPatch = Type.Object(
  {
    invite_users: optional(
      Type.Object(
        {
          ids: optionalIds('Users of this server to add.'),
          emails: emails('Email addresses of users to add; made when there are none.'),
          service_accounts: optional(
            Type.Array(ServiceAccountInvite, atMost(limits.members)),
            'Service accounts to make.',
          ),
          send_invite_emails: optional(Flag, 'Ignored: this server sends no mail.'),
          group_id: optional(Uuid, 'Group to add them to.'),
          group_name: optional(Text, 'Name of a group to add them to.'),
          group_ids: optionalIds('Groups to add them to.'),
          group_names: names('Names of groups to add them to.'),
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
    org_name: optional(Text, 'Organisation; needed only when the key belongs to several.'),
    org_id: optional(Uuid, 'Id of that organisation.'),
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
      { description: 'Users that are members now.' },
    ),
    removed_users: ids('Ids of users that are no members any more.'),
  },
  { ...closed, title: 'MembersResult' },
);
