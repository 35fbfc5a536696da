// What only projects do when they are created.
import type { Principal } from '../catalog/accounts.js';
import type { ObjectFields } from '../catalog/header.js';
import { badRequest } from '../errors.js';
import type { Services } from './context.js';
import type { Draft } from './draft.js';

/** @throws RequestError 400 for an organisation that the key does not belong to */
export function projectDraft(services: Services, principal: Principal, sent: ObjectFields): Draft {
  const { orgId, userId } = principal;
  const orgName = sent.get('org_name');
  if (orgName !== undefined && orgName !== services.accounts.organisationName(orgId)) {
    throw badRequest(
      `org_name: this key does not belong to an organisation named ${JSON.stringify(orgName)}`,
    );
  }
  return {
    kind: 'project',
    orgId,
    projectId: null,
    userId,
    scopeId: orgId,
    name: sent.get('name') as string,
    fields: sent,
    isNew: false,
  };
}
