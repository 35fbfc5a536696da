// The operations that only organisations, ACLs and keys have.
import { Type } from 'typebox';
import { plainJson } from '../json/tree.js';
import {
  Acl,
  AclBatch,
  AclBatchResult,
  AclItem,
  ApiKeyCreate,
  AuditEntry,
  AuditParameters,
  MembersPatch,
  MembersResult,
  NewApiKey,
  NewServiceToken,
  ServiceTokenCreate,
} from '../schema/access.js';
import { listOf } from '../schema/answer.js';
import { closed } from '../schema/scalar.js';
import { listAudit } from '../service/audit.js';
import { createAcl, updateAcls } from '../service/acls.js';
import {
  createApiKey,
  createServiceToken,
  type KeyRequest,
  type TokenRequest,
} from '../service/keys.js';
import { changeMembers } from '../service/members.js';
import { answersJson, type DocumentedOperation } from './operation.js';

const query = Type.Object({}, closed);

export const accessOperations: readonly DocumentedOperation[] = [
  {
    method: 'patch',
    path: '/v1/organization/members',
    query,
    body: { kind: 'required', schema: MembersPatch },
    about: {
      name: 'patchOrganizationMembers',
      group: 'Organizations',
      summary: 'Add and remove members of an organization',
      answers: answersJson(MembersResult),
    },
    run: ({ services, caller, body }) =>
      changeMembers(services, caller, plainJson(body) as MembersPatch),
  },
  {
    method: 'get',
    path: '/v1/audit_log',
    query: AuditParameters,
    about: {
      name: 'listAuditLog',
      group: 'Audit log',
      summary: 'List the audit log, newest first',
      answers: answersJson(listOf(AuditEntry)),
    },
    run: ({ services, caller, query: parameters }) => {
      const text = (name: string) => (parameters[name] ?? null) as string | null;
      const id = (name: string) => text(name)?.toLowerCase() ?? null;
      return listAudit(services, caller, {
        ids:
          (parameters['ids'] as readonly string[] | undefined)?.map((each) => each.toLowerCase()) ??
          null,
        orgName: text('org_name'),
        objectType: text('object_type'),
        objectId: id('object_id'),
        userId: id('user_id'),
        action: text('action'),
        startingAfter: id('starting_after'),
        endingBefore: id('ending_before'),
        limit: (parameters['limit'] ?? null) as number | null,
      });
    },
  },
  {
    method: 'post',
    path: '/v1/acl',
    query,
    body: { kind: 'required', schema: AclItem },
    about: {
      name: 'createAcl',
      group: 'ACLs',
      summary: 'Grant a permission or a role, or return the existing ACL that grants it',
      answers: answersJson(Acl),
      headers: ['x-bt-found-existing'],
    },
    run: ({ services, caller, body }) => createAcl(services, caller, plainJson(body) as AclItem),
  },
  {
    method: 'post',
    path: '/v1/acl/batch_update',
    query,
    body: { kind: 'required', schema: AclBatch },
    about: {
      name: 'updateAcls',
      group: 'ACLs',
      summary: 'Create and delete several ACLs in one transaction',
      answers: answersJson(AclBatchResult),
    },
    run: ({ services, caller, body }) =>
      updateAcls(services, caller, plainJson(body) as Parameters<typeof updateAcls>[2]),
  },
  {
    method: 'post',
    path: '/v1/api_key',
    query,
    body: { kind: 'required', schema: ApiKeyCreate },
    about: {
      name: 'createApiKey',
      group: 'API keys',
      summary: 'Create an API key of the user; only this answer contains the secret',
      answers: answersJson(NewApiKey),
    },
    run: ({ services, caller, body }) =>
      createApiKey(services, caller, plainJson(body) as KeyRequest),
  },
  {
    method: 'post',
    path: '/v1/service_token',
    query,
    body: { kind: 'required', schema: ServiceTokenCreate },
    about: {
      name: 'createServiceToken',
      group: 'Service tokens',
      summary: 'Create a service token of a service account; only this answer contains the secret',
      answers: answersJson(NewServiceToken),
    },
    run: ({ services, caller, body }) =>
      createServiceToken(services, caller, plainJson(body) as TokenRequest),
  },
];
