// Requests in which clients name the organisation beside their key: it is known already, so that another one is a mistake.
import { badRequest } from '../../errors.js';
import type { ObjectFields } from '../../catalog/header.js';
import type { JsonObject } from '../../json/json.js';
import { requirePrincipal } from '../access.js';
import type { Caller, Principal, Services } from '../context.js';
import { withoutNulls } from '../objects.js';

interface OwnRequest {
  readonly principal: Principal;
  /** The fields of the request that are not null. */
  readonly sent: ObjectFields;
}

/** @throws RequestError 401 without a key, 400 when `org_id` or `org_name` is that of another organisation than the key's */
export function readOwnRequest(
  services: Services,
  caller: Caller,
  request: JsonObject,
): OwnRequest {
  const principal = requirePrincipal(caller);
  const sent = withoutNulls(request);
  checkOrganisation(services, principal, sent);
  return { principal, sent };
}

function checkOrganisation({ accounts }: Services, { orgId }: Principal, sent: ObjectFields): void {
  const own = new Map([
    ['org_id', orgId],
    ['org_name', accounts.organisationName(orgId)],
  ]);
  for (const [field, value] of own) {
    const given = sent.get(field);
    if (typeof given === 'string' && given.toLowerCase() !== value.toLowerCase())
      throw badRequest(
        `${field}: this key does not belong to the organisation ${JSON.stringify(given)}`,
      );
  }
}
