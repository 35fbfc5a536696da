// The kinds of access resources. Only the operation on members creates and changes memberships.
import {
  Acl,
  AclItem,
  ApiKey,
  ApiKeyCreate,
  Group,
  GroupCreate,
  GroupPatch,
  Organization,
  OrganizationMember,
  OrganizationPatch,
  ServiceToken,
  ServiceTokenCreate,
  StoredApiKey,
  StoredServiceToken,
  User,
} from '../access.js';
import { exactly } from '../scalar.js';
import type { AccessKind, ResourceKind, ResourceDefinition } from './definition.js';

const none = exactly({});

const plain = {
  create: none,
  patch: none,
  uniqueBy: null,
  uniqueWithin: 'organisation',
  references: {},
  put: 'create',
  isVersioned: false,
  filters: {},
} as const;

export const accessKinds: Readonly<Record<AccessKind, ResourceKind>> = {
  organization: {
    ...plain,
    kind: 'organization',
    object: Organization,
    type: 'organization',
    methods: ['list', 'read', 'patch'],
    patch: OrganizationPatch,
    uniqueBy: 'name',
    uniqueWithin: 'server',
  },
  user: {
    ...plain,
    kind: 'user',
    object: User,
    type: 'org_member',
    methods: ['list', 'read'],
    /** The name is the email address, or the id. */
    uniqueBy: 'name',
    uniqueWithin: 'server',
    filters: { given_name: 'given_name', family_name: 'family_name', email: 'email' },
  },
  /** The name is the id of the user. */
  org_member: {
    ...plain,
    kind: 'org_member',
    object: OrganizationMember,
    type: 'org_member',
    methods: [],
    uniqueBy: 'name',
  },
  group: {
    ...plain,
    kind: 'group',
    object: Group,
    type: 'group',
    methods: ['list', 'create', 'put', 'read', 'patch', 'delete'],
    create: GroupCreate,
    patch: GroupPatch,
    uniqueBy: 'name',
    put: 'replace',
    references: { member_users: 'user', member_groups: 'group' },
    filters: { group_name: 'name' },
  },
  /** The name consists of grant, grantee and object, so that it is unique. */
  acl: {
    ...plain,
    kind: 'acl',
    object: Acl,
    /** Access depends on the object of the ACL. */
    type: 'organization',
    methods: ['list', 'read', 'delete'],
    create: AclItem,
    uniqueBy: 'name',
    filters: {
      object_type: 'object_type',
      object_id: 'object_id',
      user_id: 'user_id',
      group_id: 'group_id',
      permission: 'permission',
      restrict_object_type: 'restrict_object_type',
      role_id: 'role_id',
    },
    requiredFilters: ['object_type', 'object_id'],
  },
  api_key: {
    ...plain,
    kind: 'api_key',
    object: ApiKey,
    stored: StoredApiKey,
    type: 'org_member',
    methods: ['list', 'read', 'delete'],
    create: ApiKeyCreate,
    filters: { api_key_name: 'name' },
  },
  service_token: {
    ...plain,
    kind: 'service_token',
    object: ServiceToken,
    stored: StoredServiceToken,
    type: 'org_member',
    methods: ['list', 'read', 'delete'],
    create: ServiceTokenCreate,
    filters: { service_token_name: 'name' },
  },
};

export const accessResources: readonly ResourceDefinition[] = [
  { path: 'organization', objects: accessKinds.organization },
  { path: 'user', objects: accessKinds.user },
  { path: 'group', objects: accessKinds.group },
  { path: 'acl', objects: accessKinds.acl },
  { path: 'api_key', objects: accessKinds.api_key },
  { path: 'service_token', objects: accessKinds.service_token },
];
