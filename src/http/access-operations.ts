// The operations that only organisations, ACLs and keys have.
import { plainJson } from '../json/tree.js';
import { accessKinds } from '../schema/resources/access-table.js';
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
import { listAudit } from '../service/object/audit.js';
import { createAcl, deleteAcl, updateAcls } from '../service/access/acls.js';
import { createApiKey, createServiceToken } from '../service/access/keys.js';
import { changeMembers } from '../service/access/members.js';
import { listOperation } from './object-operations.js';
import { operation, type DocumentedOperation, type OperationRequest } from './operation.js';

/** An ACL is what it grants, so there is nothing of an existing one to replace. */
const aclCreation = {
  group: 'ACLs',
  summary: 'Grant a permission or a role, or return the existing ACL that grants it',
  body: { kind: 'required', schema: AclItem },
  answer: Acl,
  headers: ['x-bt-found-existing'],
  run: ({ services, caller, body }: OperationRequest) =>
    createAcl(services, caller, plainJson(body) as AclItem),
} as const;

/** As `GET /v1/acl`, but the object is optional. */
const listOfAllAcls = ((): DocumentedOperation => {
  const list = listOperation('/v1/acl/list_org', { ...accessKinds.acl, requiredFilters: [] });
  const about = {
    ...list.about,
    name: 'listAllAcls',
    summary: 'List the ACLs on all objects of the organisations of the key, newest first',
  };
  return { ...list, about };
})();

export const accessOperations: readonly DocumentedOperation[] = [
  operation('patch', '/v1/organization/members', {
    name: 'patchOrganizationMembers',
    group: 'Organizations',
    summary: 'Add and remove members of an organisation',
    body: { kind: 'required', schema: MembersPatch },
    answer: MembersResult,
    run: ({ services, caller, body }) =>
      changeMembers(services, caller, plainJson(body) as MembersPatch),
  }),
  operation('get', '/v1/audit_log', {
    name: 'listAuditLog',
    group: 'Audit log',
    summary: 'List the audit log, newest first',
    query: AuditParameters,
    answer: listOf(AuditEntry),
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
  }),
  operation('post', '/v1/acl', { ...aclCreation, name: 'createAcl' }),
  operation('put', '/v1/acl', { ...aclCreation, name: 'putAcl', isDeprecated: true }),
  operation('delete', '/v1/acl', {
    name: 'deleteAclByContent',
    group: 'ACLs',
    summary: 'Delete the ACL that grants this, and return it',
    body: { kind: 'required', schema: AclItem },
    answer: Acl,
    run: ({ services, caller, body }) => deleteAcl(services, caller, plainJson(body) as AclItem),
  }),
  listOfAllAcls,
  operation('post', '/v1/acl/batch_update', {
    name: 'updateAcls',
    group: 'ACLs',
    summary: 'Create and delete several ACLs in one transaction',
    body: { kind: 'required', schema: AclBatch },
    answer: AclBatchResult,
    run: ({ services, caller, body }) =>
      updateAcls(services, caller, plainJson(body) as Parameters<typeof updateAcls>[2]),
  }),
  operation('post', '/v1/api_key', {
    name: 'createApiKey',
    group: 'API keys',
    summary: 'Create an API key of the user; only this answer contains the secret',
    body: { kind: 'required', schema: ApiKeyCreate },
    answer: NewApiKey,
    run: ({ services, caller, body }) =>
      createApiKey(services, caller, plainJson(body) as ApiKeyCreate),
  }),
  operation('post', '/v1/service_token', {
    name: 'createServiceToken',
    group: 'Service tokens',
    summary: 'Create a service token of a service account; only this answer contains the secret',
    body: { kind: 'required', schema: ServiceTokenCreate },
    answer: NewServiceToken,
    run: ({ services, caller, body }) =>
      createServiceToken(services, caller, plainJson(body) as ServiceTokenCreate),
  }),
];
