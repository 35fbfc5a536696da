// Reads the audit log of the organisations that the caller may read.
import type { AuditSelection, AuditEntry } from '../../catalog/audit-log.js';
import { can, requirePrincipal } from '../access/access.js';
import type { Caller, Services } from '../context.js';
import { listParts } from './object-list.js';
import { withName } from '../access/organisation.js';
import { jsonReply, jsonType, type Reply } from '../reply.js';

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
  const { catalog } = services;
  const { orgName } = request;
  const named = orgName === null ? orgIds : withName(services, orgIds, orgName);
  const readable = named.filter((id) => {
    const organisation = catalog.header(id);
    return organisation !== undefined && can(services, caller, permission, organisation);
  });
  if (readable.length === 0) return jsonReply('{"objects":[]}');
  const pages = await catalog.audit.list({ ...request, orgIds: readable });
  const body = listParts('{"objects":[', bodiesOf(pages), ']}');
  return { contentType: jsonType, headers: {}, body };
}

async function* bodiesOf(pages: AsyncIterable<readonly AuditEntry[]>): AsyncGenerator<string> {
  for await (const page of pages) yield* page.map(({ body }) => body);
}
