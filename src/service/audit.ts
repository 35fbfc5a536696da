// Reads the audit log of the organisations that the caller may read.
import type { AuditSelection } from '../catalog/audit-log.js';
import { may, requirePrincipal } from './access.js';
import type { Caller, Services } from './context.js';
import { jsonReply, type Reply } from './reply.js';

export interface AuditRequest extends Omit<AuditSelection, 'orgIds'> {
  readonly orgName: string | null;
}

/** @throws RequestError 400 for an invalid cursor */
export async function listAudit(
  services: Services,
  caller: Caller,
  request: AuditRequest,
): Promise<Reply> {
  const { orgIds, permission } = requirePrincipal(caller);
  const { accounts, catalog } = services;
  const readable = orgIds.filter((id) => {
    const organisation = catalog.header(id);
    const isNamed = request.orgName === null || accounts.organisationName(id) === request.orgName;
    return isNamed && organisation !== undefined && may(services, caller, permission, organisation);
  });
  const objects =
    readable.length === 0 ? [] : await catalog.audit.list({ ...request, orgIds: readable });
  return jsonReply(JSON.stringify({ objects }));
}
